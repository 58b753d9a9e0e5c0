#include "engine/weights/model_kind.h"

#include "engine/weights/base_model.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

namespace {

/// Answers the questions that the recognition rules ask about a file's tensors.
class Names {
  public:
    explicit Names(const StoredTensors& stored) : stored_(stored) {}

    bool has(std::string_view name) const { return stored_.find(name) != nullptr; }
    bool hasPrefix(std::string_view prefix) const {
        const auto first = std::ranges::lower_bound(stored_.tensors(), prefix, {}, nameOfTensor);
        return first != stored_.tensors().end() && nameOfTensor(*first).starts_with(prefix);
    }
    /// 0 where there is no such tensor or axis; a negative axis counts from the end.
    std::int64_t dim(std::string_view name, int axis) const {
        const StoredTensor* tensor = stored_.find(name);
        if (!tensor) return 0;
        const int rank = static_cast<int>(tensor->info->shape.size());
        const int index = axis < 0 ? rank + axis : axis;
        return index >= 0 && index < rank ? tensor->info->shape[static_cast<std::size_t>(index)] : 0;
    }
    /// Width of what the first cross-attention reads.
    std::int64_t contextWidth() const {
        for (const StoredTensor& tensor : stored_.tensors())
            if (nameOfTensor(tensor).ends_with(".attn2.to_k.weight") && !tensor.info->shape.empty())
                return tensor.info->shape.back();
        return 0;
    }
    const StoredTensors& stored() const { return stored_; }

  private:
    static std::string_view nameOfTensor(const StoredTensor& tensor) { return tensor.info->name; }
    const StoredTensors& stored_;
};

ModelIdentity identity(ModelKind kind, std::string baseModel = {}, std::string variant = {}) {
    return {kind, std::move(baseModel), std::move(variant), {}, LoraFamily::None};
}

std::optional<ModelIdentity> asLora(const Names& names) {
    std::vector<TensorInfo> infos;
    for (const StoredTensor& tensor : names.stored().tensors()) infos.push_back(*tensor.info);
    const LoraFamily family = loraFamilyOf(infos);
    if (family == LoraFamily::None) return std::nullopt;
    ModelIdentity found = identity(ModelKind::Lora, baseModelOfLora(names.stored().metadata(), infos));
    found.loraFamily = family;
    return found;
}

std::string checkpointBase(const Names& names) {
    constexpr std::string_view kUnet = "model.diffusion_model.";
    const auto unet = [&](std::string_view rest) { return std::string(kUnet).append(rest); };
    if (names.dim(unet("input_blocks.2.1.transformer_blocks.0.attn2.to_k.weight"), -1) == 1024) return "SD 2.x";
    constexpr std::string_view kOpenClip = ".model.transformer.resblocks.9.mlp.c_proj.bias";
    if (names.has(std::string("conditioner.embedders.1").append(kOpenClip))) return "SDXL";
    if (names.has(std::string("conditioner.embedders.0").append(kOpenClip))) return "SDXL refiner";
    if (names.has(unet("output_blocks.11.0.skip_connection.weight"))) return "SD 1.5";
    // Files that hold only the UNet: SDXL is the one that takes sizes and crops as a label.
    if (names.has(unet("label_emb.0.0.weight"))) return "SDXL";
    return {};
}

std::optional<ModelIdentity> asCheckpoint(const Names& names) {
    if (!names.hasPrefix("model.diffusion_model.")) return std::nullopt;
    ModelIdentity found = identity(ModelKind::Checkpoint, checkpointBase(names));
    const auto channels = names.dim("model.diffusion_model.input_blocks.0.0.weight", 1);
    if (channels == 9) found.variant = "inpainting";
    if (channels == 8) found.variant = "InstructPix2Pix";
    if (names.hasPrefix("edm_vpred.sigma_"))
        found.prediction = "CosXL";
    else if (names.has("v_pred"))
        found.prediction = names.has("ztsnr") ? "v-prediction, zero terminal SNR" : "v-prediction";
    return found;
}

std::optional<ModelIdentity> asControlNet(const Names& names) {
    const bool isOne = names.hasPrefix("controlnet_cond_embedding.") || names.hasPrefix("control_model.") ||
                       names.hasPrefix("input_hint_block.");
    if (!isOne) return std::nullopt;
    const bool isXl = names.has("add_embedding.linear_1.weight") || names.has("label_emb.0.0.weight") ||
                      names.has("control_model.label_emb.0.0.weight");
    return identity(ModelKind::ControlNet, isXl ? "SDXL" : baseModelFromContextWidth(names.contextWidth()));
}

std::optional<ModelIdentity> asIpAdapter(const Names& names) {
    if (!names.hasPrefix("image_proj.") || !names.hasPrefix("ip_adapter.")) return std::nullopt;
    std::int64_t layers = 0;
    for (const StoredTensor& tensor : names.stored().tensors())
        layers += tensor.info->name.ends_with(".to_k_ip.weight") ? 1 : 0;
    const std::string base = layers == 16 ? "SD 1.5" : layers == 70 ? "SDXL" : "";
    std::string variant;
    if (names.has("image_proj.latents")) variant = "Plus";
    if (names.has("image_proj.proj.3.weight")) variant = "full face";
    return identity(ModelKind::IpAdapter, base, variant);
}

std::optional<ModelIdentity> asMotionModule(const Names& names) {
    std::set<int> downBlocks;
    bool isOne = false;
    std::int64_t positions = 0;
    for (const StoredTensor& tensor : names.stored().tensors()) {
        const std::string_view name = tensor.info->name;
        isOne |= name.find("motion_modules.") != name.npos;
        if (name.ends_with(".pe") && tensor.info->shape.size() >= 2) positions = tensor.info->shape[1];
        constexpr std::string_view kDown = "down_blocks.";
        int block = 0;
        if (name.starts_with(kDown) &&
            std::from_chars(name.data() + kDown.size(), name.data() + name.size(), block).ec == std::errc())
            downBlocks.insert(block);
    }
    if (!isOne) return std::nullopt;
    std::string base;
    if (!downBlocks.empty()) base = *downBlocks.rbegin() == 3 ? "SD 1.5" : *downBlocks.rbegin() == 2 ? "SDXL" : "";
    std::string variant;
    if (positions == 0)
        variant = "AnimateLCM";
    else if (names.hasPrefix("mid_block."))
        variant = "v2";
    else
        variant = positions == 32 ? "v3" : "v1";
    return identity(ModelKind::MotionModule, base, variant);
}

std::optional<ModelIdentity> asUnet(const Names& names) {
    if (!names.has("conv_in.weight") || !names.has("time_embedding.linear_1.weight") || !names.hasPrefix("up_blocks."))
        return std::nullopt;
    const auto channels = names.dim("conv_in.weight", 1);
    const auto width = names.contextWidth();
    const std::string variant = channels == 9 ? "inpainting" : channels == 8 ? "InstructPix2Pix" : "";
    if (names.has("add_embedding.linear_1.weight"))
        return identity(ModelKind::Unet, width == 1280 ? "SDXL refiner" : "SDXL", variant);
    std::string base = baseModelFromContextWidth(width);
    if (base == kStarterModelName && channels != 32) base.clear();
    return identity(ModelKind::Unet, base, variant);
}

std::optional<ModelIdentity> asVae(const Names& names) {
    if (names.hasPrefix("decoder.layers.") || names.hasPrefix("encoder.layers.0.conv"))
        return identity(ModelKind::TinyVae,
                        names.dim("decoder.layers.0.weight", 1) == 16 && names.dim("encoder.layers.0.weight", 1) == 12
                            ? kStarterModelName
                            : "");
    const bool isKl = names.hasPrefix("first_stage_model.decoder.") || names.hasPrefix("decoder.up_blocks.") ||
                      names.hasPrefix("decoder.up.0.");
    return isKl ? std::optional(identity(ModelKind::Vae)) : std::nullopt;
}

std::optional<ModelIdentity> asEncoder(const Names& names) {
    if (names.hasPrefix("vision_model.") || names.has("embeddings.patch_embedding.weight"))
        return identity(ModelKind::ImageEncoder);
    if (names.hasPrefix("text_model.encoder.layers.") || names.hasPrefix("encoder.layers.0.self_attn"))
        return identity(ModelKind::TextEncoder);
    if (names.has("latents") && names.has("proj_in.weight") && names.has("proj_out.weight"))
        return identity(ModelKind::ImageProjection, names.has("null_tokens") ? kStarterModelName : "");
    return std::nullopt;
}

std::optional<ModelIdentity> asEmbedding(const Names& names) {
    const auto& tensors = names.stored().tensors();
    if (tensors.empty() || tensors.size() > 2) return std::nullopt;
    if (names.has("clip_l") && names.has("clip_g")) return identity(ModelKind::Embedding, "SDXL");
    if (tensors.size() != 1 || tensors[0].info->shape.empty() || tensors[0].info->shape.size() > 2) return std::nullopt;
    const auto width = tensors[0].info->shape.back();
    if (width != 768 && width != 1024) return std::nullopt;
    return identity(ModelKind::Embedding, baseModelFromContextWidth(width));
}

}  // namespace

const char* nameOf(ModelKind kind) {
    switch (kind) {
        case ModelKind::Unknown:
            return "unknown";
        case ModelKind::Checkpoint:
            return "checkpoint";
        case ModelKind::Unet:
            return "UNet";
        case ModelKind::Vae:
            return "VAE";
        case ModelKind::TinyVae:
            return "tiny VAE";
        case ModelKind::TextEncoder:
            return "text encoder";
        case ModelKind::ImageEncoder:
            return "image encoder";
        case ModelKind::ImageProjection:
            return "image projection";
        case ModelKind::Lora:
            return "LoRA";
        case ModelKind::ControlNet:
            return "ControlNet";
        case ModelKind::IpAdapter:
            return "IP-Adapter";
        case ModelKind::MotionModule:
            return "motion module";
        case ModelKind::Embedding:
            return "embedding";
    }
    return "?";
}

std::string nameWithArticle(ModelKind kind) {
    const std::string name = nameOf(kind);
    // None of the names with U is spoken with a vowel.
    return (std::string_view("AEIOaeio").find(name.front()) != std::string_view::npos ? "an " : "a ") + name;
}

ModelIdentity identifyModel(const StoredTensors& tensors) {
    const Names names(tensors);
    // Adapters first: they repeat names of the model that they belong to.
    for (const auto recognise :
         {asLora, asIpAdapter, asControlNet, asMotionModule, asCheckpoint, asUnet, asEncoder, asVae, asEmbedding}) {
        if (auto found = recognise(names)) {
            if (found->baseModel.empty()) found->baseModel = baseModelFromMetadata(tensors.metadata());
            return *found;
        }
    }
    return identity(ModelKind::Unknown, baseModelFromMetadata(tensors.metadata()));
}

}  // namespace reelbrush::weights
