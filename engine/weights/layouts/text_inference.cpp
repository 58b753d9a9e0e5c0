#include "engine/weights/layouts/text_inference.h"

#include "engine/weights/layouts/weight_shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::weights {

Result<nlohmann::json> inferTextEncoderConfig(const ListedWeights& textEncoder, TextEncoderKind kind) {
    const WeightShapes shapes(textEncoder);
    const auto tokens = shapes.shape("text_model.embeddings.token_embedding.weight");
    const auto positions = shapes.shape("text_model.embeddings.position_embedding.weight");
    const int layers = shapes.count("text_model.encoder.layers.", ".layer_norm1.weight");
    if (tokens.size() != 2 || positions.size() != 2 || layers == 0)
        return fail(StatusCode::BadInput,
                    "its text encoder is incomplete: token embedding, position embedding and layers are needed");
    if (tokens[1] != positions[1])
        return fail(StatusCode::BadInput,
                    fmt::format("its text encoder has token embeddings of width {} and position embeddings of width {}",
                                tokens[1], positions[1]));
    const bool isOpen = kind == TextEncoderKind::OpenClip;
    const std::int64_t projection = shapes.dim("text_projection.weight", 0);
    return nlohmann::json{
        {"architectures", {projection > 0 ? "CLIPTextModelWithProjection" : "CLIPTextModel"}},
        {"bos_token_id", 49406},
        {"eos_token_id", 49407},
        {"hidden_act", isOpen ? "gelu" : "quick_gelu"},
        {"hidden_size", tokens[1]},
        {"intermediate_size", shapes.dim("text_model.encoder.layers.0.mlp.fc1.weight", 0)},
        {"layer_norm_eps", 1e-5},
        {"max_position_embeddings", positions[0]},
        {"model_type", "clip_text_model"},
        {"num_attention_heads", std::max<std::int64_t>(1, tokens[1] / 64)},
        {"num_hidden_layers", layers},
        {"pad_token_id", isOpen ? 0 : 49407},
        {"projection_dim", projection > 0 ? projection : tokens[1]},
        {"vocab_size", tokens[0]},
    };
}

}  // namespace reelbrush::weights
