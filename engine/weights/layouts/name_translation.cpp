#include "engine/weights/layouts/name_translation.h"

#include <algorithm>

namespace reelbrush::weights {

TranslatedNames translateNames(const ListedWeights& stored, std::string_view prefix, const NameTranslator& translate,
                               std::size_t source) {
    TranslatedNames names;
    const auto& all = stored.names();
    for (auto name = std::ranges::lower_bound(all, prefix); name != all.end() && name->starts_with(prefix); ++name) {
        NameTranslation translation = translate(std::string_view(*name).substr(prefix.size()));
        if (!translation.isKnown) names.unknown.push_back(*name);
        for (RenamedWeight& weight : translation.weights) {
            weight.storedName = *name;
            weight.source = source;
            names.weights.push_back(std::move(weight));
        }
    }
    return names;
}

bool hasPrefix(const ListedWeights& stored, std::string_view prefix) {
    const auto found = std::ranges::lower_bound(stored.names(), prefix);
    return found != stored.names().end() && found->starts_with(prefix);
}

}  // namespace reelbrush::weights
