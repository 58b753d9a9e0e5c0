#include "engine/weights/lora_dictionary.h"

#include "engine/weights/lora_ldm_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace reelbrush::weights {

namespace {

constexpr std::string_view kUnet = "unet";

std::string withUnderscores(std::string_view name) {
    std::string spelled(name);
    std::ranges::replace(spelled, '.', '_');
    return spelled;
}

std::string_view without(std::string_view name, std::string_view ending) {
    return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : std::string_view();
}

/// "input_blocks.4.1.proj_in" is in "IN04".
std::string blockOf(std::string_view ldmName) {
    struct Side {
        std::string_view prefix, name;
    };
    if (ldmName.starts_with("middle_block.")) return "M00";
    for (const Side& side : {Side{"input_blocks.", "IN"}, Side{"output_blocks.", "OUT"}}) {
        if (!ldmName.starts_with(side.prefix)) continue;
        const auto rest = ldmName.substr(side.prefix.size());
        return fmt::format("{}{:0>2}", side.name, rest.substr(0, rest.find('.')));
    }
    return {};
}

/// Names that diffusers gave to the LoRA layers of attentions before they were named after the layers themselves.
std::vector<std::string> attentionAliases(std::string_view module) {
    std::vector<std::string> aliases;
    struct Layer {
        std::string_view ending, alias;
    };
    constexpr std::array kUnetLayers = {Layer{".to_q", "to_q"}, Layer{".to_k", "to_k"}, Layer{".to_v", "to_v"},
                                        Layer{".to_out.0", "to_out"}};
    for (const Layer& layer : kUnetLayers)
        if (const auto attention = without(module, layer.ending); !attention.empty()) {
            aliases.push_back(fmt::format("{}.processor.{}", attention, layer.alias));
            if (layer.alias == "to_out") aliases.push_back(fmt::format("{}.to_out", attention));
        }
    constexpr std::array kTextLayers = {Layer{".q_proj", "to_q"}, Layer{".k_proj", "to_k"}, Layer{".v_proj", "to_v"},
                                        Layer{".out_proj", "to_out"}};
    for (const Layer& layer : kTextLayers)
        if (const auto attention = without(module, layer.ending); !attention.empty())
            aliases.push_back(fmt::format("{}.{}", attention, layer.alias));
    return aliases;
}

/// Every way in which files spell this module's name, dots kept.
std::vector<std::string> spellingsOf(const LoraPlace& place, const std::string& ldmName) {
    std::vector<std::string> names = {place.module};
    if (!ldmName.empty()) names.push_back(ldmName);
    constexpr std::string_view kTextModel = "text_model.";
    if (place.part != kUnet) {
        // Newer writers leave this outermost name away.
        names.push_back(place.module.starts_with(kTextModel) ? place.module.substr(kTextModel.size())
                                                             : std::string(kTextModel) + place.module);
    }
    for (std::size_t i = 0, plain = names.size(); i < plain; ++i)
        for (std::string& alias : attentionAliases(names[i])) names.push_back(std::move(alias));
    return names;
}

}  // namespace

LoraDictionary::LoraDictionary(ModelParts parts) : parts_(std::move(parts)) {
    for (const auto& [part, weights] : parts_) addPart(part, *weights);
}

void LoraDictionary::addPart(const std::string& part, const ListedWeights& weights) {
    const bool isUnet = part == kUnet;
    const LoraLdmNames ldm(isUnet ? std::span(weights.names()) : std::span<const std::string>());
    auto& places = places_[part];
    for (const std::string& name : weights.names())
        for (const std::string_view ending : {".weight", ".bias"})
            if (const auto module = without(name, ending); !module.empty())
                places.try_emplace(std::string(module), LoraPlace{part, std::string(module), {}});
    Spellings& spellings = spellings_[part];
    for (auto& [module, place] : places) {
        const std::string ldmName = isUnet ? ldm.spell(module) : std::string();
        place.block = isUnet ? blockOf(ldmName) : "BASE";
        for (const std::string& spelling : spellingsOf(place, ldmName)) {
            const auto [entry, isNew] = spellings.try_emplace(withUnderscores(spelling), &place);
            if (!isNew && entry->second != &place) entry->second = nullptr;
        }
    }
}

const LoraPlace* LoraDictionary::find(const LoraModule& module) const {
    const std::string spelled = withUnderscores(module.module);
    const auto findIn = [&](std::string_view part) -> const LoraPlace* {
        const auto spellings = spellings_.find(part);
        if (spellings == spellings_.end()) return nullptr;
        const auto found = spellings->second.find(spelled);
        return found == spellings->second.end() ? nullptr : found->second;
    };
    if (!module.component.empty()) return findIn(module.component);
    if (const LoraPlace* place = findIn(kUnet)) return place;
    for (const auto& [part, weights] : parts_)
        if (const LoraPlace* place = findIn(part)) return place;
    return nullptr;
}

}  // namespace reelbrush::weights
