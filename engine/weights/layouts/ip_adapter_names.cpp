#include "engine/weights/layouts/ip_adapter_names.h"

#include "engine/weights/layouts/dotted_name.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace reelbrush::weights {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair kResamplerLayer[] = {
    {"0.norm1.", "ln0."}, {"0.norm2.", "ln1."},         {"0.to_q.", "attn.to_q."}, {"0.to_out.", "attn.to_out.0."},
    {"1.0.", "ff.0."},    {"1.1.", "ff.1.net.0.proj."}, {"1.3.", "ff.1.net.2."},
};

NameTranslation fusedKeysAndValues(const std::string& layer) {
    NameTranslation translation{true, {}};
    for (const char* projection : {"to_k", "to_v"}) {
        RenamedWeight weight;
        weight.name = fmt::format("{}attn.{}.weight", layer, projection);
        weight.form = RenamedWeight::Form::RowRange;
        weight.part = static_cast<int>(translation.weights.size());
        weight.parts = 2;
        translation.weights.push_back(std::move(weight));
    }
    return translation;
}

NameTranslation projectionName(DottedName name) {
    if (!name.take("layers.")) return NameTranslation::as(std::string(name.rest()));
    const auto index = name.takeIndex();
    if (!index) return NameTranslation::unknown();
    const std::string layer = fmt::format("layers.{}.", *index);
    if (name.rest() == "0.to_kv.weight") return fusedKeysAndValues(layer);
    const auto rest = name.exchanged(kResamplerLayer);
    return rest ? NameTranslation::as(layer + *rest) : NameTranslation::unknown();
}

NameTranslation ipAdapterName(std::string_view stored) {
    DottedName name(stored);
    if (name.take("image_proj.")) return projectionName(name);
    if (!name.take("ip_adapter.") || !name.takeIndex()) return NameTranslation::unknown();
    if (name.rest() != "to_k_ip.weight" && name.rest() != "to_v_ip.weight") return NameTranslation::unknown();
    return NameTranslation::as(std::string(stored));
}

NameTranslation clipVisionName(std::string_view stored) {
    DottedName name(stored);
    name.take("vision_model.");
    if (name.rest() == "embeddings.position_ids") return NameTranslation::unused();
    for (const char* known :
         {"embeddings.", "pre_layrnorm.", "encoder.layers.", "post_layernorm.", "visual_projection."})
        if (name.rest().starts_with(known)) return NameTranslation::as(std::string(name.rest()));
    return NameTranslation::unknown();
}

}  // namespace

TranslatedNames ipAdapterNames(const ListedWeights& stored) {
    return translateNames(stored, "", ipAdapterName);
}

TranslatedNames clipVisionNames(const ListedWeights& stored) {
    return translateNames(stored, "", clipVisionName);
}

}  // namespace reelbrush::weights
