#pragma once

#include "engine/weights/listed_weights.h"

#include <nlohmann/json.hpp>
#include <string>

namespace reelbrush::testing {

/// What differs between two sets of weights in names, shapes (but for dimensions of 1) or values; empty where nothing
/// does. The first difference only.
std::string differences(const weights::ListedWeights& a, const weights::ListedWeights& b);

/// Fields of `inferred` that `stored` lacks or has with another value; a number stands for a list of itself.
std::string contradictions(const nlohmann::json& inferred, const nlohmann::json& stored);

}  // namespace reelbrush::testing
