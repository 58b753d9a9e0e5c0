#pragma once

#include "engine/weights/listed_weights.h"
#include "engine/weights/renamed_weights.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// What a naming makes of one stored tensor.
struct NameTranslation {
    bool isKnown = false;
    /// Under their new names, storedName left empty. Several for a fused tensor; none for a known tensor that no graph
    /// reads, such as position_ids.
    std::vector<RenamedWeight> weights;

    static NameTranslation unknown() { return {}; }
    static NameTranslation unused() { return {true, {}}; }
    static NameTranslation as(std::string name) {
        RenamedWeight weight;
        weight.name = std::move(name);
        return {true, {std::move(weight)}};
    }
    static NameTranslation as(std::optional<std::string> name) { return name ? as(std::move(*name)) : unknown(); }
};

/// Takes a stored name without the prefix of its part.
using NameTranslator = std::function<NameTranslation(std::string_view)>;

/// The tensors of one part of a file.
struct TranslatedNames {
    std::vector<RenamedWeight> weights;
    std::vector<std::string> unknown;  ///< stored names
};

/// Translates every name of `stored` that begins with the prefix. source: index written into the weights.
TranslatedNames translateNames(const ListedWeights& stored, std::string_view prefix, const NameTranslator& translate,
                               std::size_t source = 0);

/// True where a stored name begins with the prefix.
bool hasPrefix(const ListedWeights& stored, std::string_view prefix);

}  // namespace reelbrush::weights
