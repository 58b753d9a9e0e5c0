#include "engine/weights/layouts/vision_inference.h"

#include "engine/weights/layouts/weight_shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace reelbrush::weights {

namespace {

constexpr std::int64_t kNarrowestOpenClip = 1280;
constexpr std::int64_t kOpenClipHeads = 16;
constexpr std::int64_t kOpenAiHeadSize = 64;

}  // namespace

Result<nlohmann::json> inferVisionEncoderConfig(const ListedWeights& imageEncoder) {
    const WeightShapes shapes(imageEncoder);
    const auto patches = shapes.shape("embeddings.patch_embedding.weight");
    const std::int64_t positions = shapes.dim("embeddings.position_embedding.weight", 0);
    const int layers = shapes.count("encoder.layers.", ".layer_norm1.weight");
    if (patches.size() != 4 || positions < 2 || layers == 0)
        return fail(StatusCode::BadInput,
                    "its image encoder is incomplete: patch embedding, position embedding and layers are needed");
    const std::int64_t width = patches[0];
    const auto side = std::llround(std::sqrt(static_cast<double>(positions - 1)));
    if (side * side != positions - 1)
        return fail(StatusCode::BadInput, "the positions of its image encoder form no square");
    const bool isOpenClip = width >= kNarrowestOpenClip;
    const std::int64_t projection = shapes.dim("visual_projection.weight", 0);
    return nlohmann::json{
        {"hidden_act", isOpenClip ? "gelu" : "quick_gelu"},
        {"hidden_size", width},
        {"image_size", side * patches[2]},
        {"intermediate_size", shapes.dim("encoder.layers.0.mlp.fc1.weight", 0)},
        {"layer_norm_eps", 1e-5},
        {"model_type", "clip_vision_model"},
        {"num_attention_heads", isOpenClip ? kOpenClipHeads : std::max<std::int64_t>(1, width / kOpenAiHeadSize)},
        {"num_hidden_layers", layers},
        {"patch_size", patches[2]},
        {"projection_dim", projection > 0 ? projection : width},
    };
}

}  // namespace reelbrush::weights
