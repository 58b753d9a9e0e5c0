#include "engine/weights/unsupported_models.h"

#include "engine/weights/layouts/name_translation.h"
#include "engine/weights/layouts/unet_names.h"
#include "engine/weights/layouts/weight_shapes.h"

#include <string_view>

namespace reelbrush::weights {

namespace {

struct Mark {
    const char* start;  ///< of a tensor's name, within the network
    const char* model;
};

constexpr Mark kTransformers[] = {
    {"joint_blocks.", "Stable Diffusion 3"}, {"double_blocks.", "Flux"},
    {"single_transformer_blocks.", "Flux"},  {"transformer_blocks.0.norm1_context.", "Stable Diffusion 3"},
    {"double_layers.", "AuraFlow"},          {"adaln_single.", "PixArt"},
    {"clip_txt_mapper.", "Stable Cascade"},  {"clip_mapper.", "Stable Cascade"},
};

constexpr Mark kCheckpoints[] = {
    {"conditioner.embedders.0.model.transformer.", "the SDXL refiner"},
    {"edm_vpred.sigma_", "CosXL"},
    {"edm_mean", "Playground 2.5"},
    {"text_encoders.t5xxl.", "a model with a T5 text encoder"},
    {"model.diffusion_model.input_blocks.1.0.temporal", "a video model"},
    {"model.diffusion_model.time_stack.", "a video model"},
    {"embedder.model.visual.", "SD 2.1 unCLIP"},
    {"model.diffusion_model.label_emb.weight", "the SD x4 upscaler"},
};

}  // namespace

std::string unsupportedModelName(const ListedWeights& stored) {
    for (const Mark& mark : kCheckpoints)
        if (hasPrefix(stored, mark.start)) return mark.model;
    for (const std::string_view prefix : {std::string_view(), kLdmUnetPrefix})
        for (const Mark& mark : kTransformers)
            if (hasPrefix(stored, std::string(prefix) + mark.start)) return mark.model;

    const WeightShapes shapes(stored);
    for (const std::string_view prefix : {std::string_view(), kLdmUnetPrefix}) {
        const std::string unet(prefix);
        const bool hasLabel = shapes.has(unet + "label_emb.0.0.weight");
        if (!hasLabel && !(prefix.empty() && shapes.has("add_embedding.linear_1.weight"))) continue;
        for (const char* key : {"middle_block.1.transformer_blocks.0.attn2.to_k.weight",
                                "mid_block.attentions.0.transformer_blocks.0.attn2.to_k.weight"}) {
            if (shapes.dim(unet + key, 1) == 1280) return "the SDXL refiner";
            if (shapes.dim(unet + key, 1) == 1024) return "SD 2.1 unCLIP";
        }
    }
    return {};
}

}  // namespace reelbrush::weights
