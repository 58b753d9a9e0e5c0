#include "engine/weights/layouts/clip_text_names.h"

#include "engine/weights/layouts/dotted_name.h"

#include <fmt/format.h>

#include <string>

namespace reelbrush::weights {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair kOpenClipEnds[] = {
    {"token_embedding.weight", "text_model.embeddings.token_embedding.weight"},
    {"positional_embedding", "text_model.embeddings.position_embedding.weight"},
    {"ln_final.", "text_model.final_layer_norm."},
};

constexpr Pair kOpenClipLayer[] = {
    {"ln_1.", "layer_norm1."},
    {"ln_2.", "layer_norm2."},
    {"mlp.c_fc.", "mlp.fc1."},
    {"mlp.c_proj.", "mlp.fc2."},
    {"attn.out_proj.", "self_attn.out_proj."},
};

/// q, k and v one after the other.
NameTranslation fusedProjection(const std::string& layer, std::string_view kind) {
    NameTranslation translation{true, {}};
    int part = 0;
    for (const char* which : {"q", "k", "v"}) {
        RenamedWeight weight;
        weight.name = fmt::format("{}self_attn.{}_proj.{}", layer, which, kind);
        weight.form = RenamedWeight::Form::RowRange;
        weight.part = part++;
        weight.parts = 3;
        translation.weights.push_back(std::move(weight));
    }
    return translation;
}

NameTranslation openClipLayerName(DottedName name, int layers) {
    const auto index = name.takeIndex();
    if (!index) return NameTranslation::unknown();
    if (*index >= layers) return NameTranslation::unused();
    const std::string layer = fmt::format("text_model.encoder.layers.{}.", *index);
    if (name.rest() == "attn.in_proj_weight") return fusedProjection(layer, "weight");
    if (name.rest() == "attn.in_proj_bias") return fusedProjection(layer, "bias");
    const auto rest = name.exchanged(kOpenClipLayer);
    return rest ? NameTranslation::as(layer + *rest) : NameTranslation::unknown();
}

}  // namespace

NameTranslation clipTextName(std::string_view name) {
    if (name.ends_with("embeddings.position_ids") || name == "logit_scale") return NameTranslation::unused();
    if (name.starts_with("text_model.") || name == "text_projection.weight")
        return NameTranslation::as(std::string(name));
    for (const char* start : {"embeddings.", "encoder.layers.", "final_layer_norm."})
        if (name.starts_with(start)) return NameTranslation::as(fmt::format("text_model.{}", name));
    return NameTranslation::unknown();
}

int openClipLayers(const ListedWeights& stored, std::string_view prefix) {
    int layers = 0;
    while (hasPrefix(stored, fmt::format("{}transformer.resblocks.{}.", prefix, layers))) ++layers;
    return layers;
}

NameTranslation openClipName(std::string_view stored, int layers) {
    DottedName name(stored);
    if (stored == "logit_scale" || stored == "attn_mask") return NameTranslation::unused();
    if (stored == "text_projection") {
        NameTranslation translation = NameTranslation::as(std::string("text_projection.weight"));
        translation.weights.front().form = RenamedWeight::Form::Transposed;
        return translation;
    }
    // The same matrix as a linear layer's weight is stored [out, in] already.
    if (stored == "text_projection.weight") return NameTranslation::as(std::string(stored));
    if (auto end = name.exchanged(kOpenClipEnds)) return NameTranslation::as(std::move(*end));
    if (name.take("transformer.resblocks.")) return openClipLayerName(name, layers);
    return NameTranslation::unknown();
}

}  // namespace reelbrush::weights
