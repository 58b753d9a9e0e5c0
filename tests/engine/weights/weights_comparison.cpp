#include "tests/engine/weights/weights_comparison.h"

#include "kernels/plan/float_weights.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace reelbrush::testing {

namespace {

std::vector<float> valuesOf(const kernels::WeightView& view) {
    std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
    view.toFloat(values.data());
    return values;
}

}  // namespace

std::string differences(const weights::ListedWeights& a, const weights::ListedWeights& b) {
    std::vector<std::string> onlyOne;
    std::ranges::set_symmetric_difference(a.names(), b.names(), std::back_inserter(onlyOne));
    if (!onlyOne.empty()) return "only one has " + onlyOne.front();
    for (const std::string& name : a.names()) {
        const auto inA = a.find(name);
        const auto inB = b.find(name);
        if (!inA || !inB) return "cannot find " + name;
        if (!kernels::sameButForOnes(inA->shape, inB->shape))
            return name + " is " + inA->shape.toString() + " and " + inB->shape.toString();
        if (valuesOf(*inA) != valuesOf(*inB)) return name + " has other values";
    }
    return {};
}

std::string contradictions(const nlohmann::json& inferred, const nlohmann::json& stored) {
    std::string found;
    for (const auto& [key, value] : inferred.items()) {
        if (!stored.contains(key)) {
            found += key + " is not stored; ";
            continue;
        }
        const auto& other = stored.at(key);
        const bool isEach = other.is_array() && !value.is_array() &&
                            std::ranges::all_of(other, [&value = value](const auto& each) { return each == value; });
        if (other != value && !isEach) found += key + " is " + value.dump() + " and " + other.dump() + "; ";
    }
    return found;
}

}  // namespace reelbrush::testing
