#pragma once

#include "kernels/plan/weight_provider.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace reelbrush::kernels {

/// True when two shapes hold the same values in the same order but for dimensions of 1: [320,320] and [320,320,1,1].
inline bool sameButForOnes(const Shape& a, const Shape& b) {
    std::vector<std::int64_t> aDims, bDims;
    for (const auto d : a.dims())
        if (d != 1) aDims.push_back(d);
    for (const auto d : b.dims())
        if (d != 1) bDims.push_back(d);
    return aDims == bDims;
}

/// A stored weight as f32 values in stored order, its shape checked (see sameButForOnes).
/// An empty name is an absent weight and gives no values.
/// Errors: BadInput where it is missing or of another shape (both shapes in the message).
inline Result<std::vector<float>> loadFloats(const WeightProvider& weights, const std::string& name,
                                             const Shape& expected) {
    if (name.empty()) return std::vector<float>{};
    RB_ASSIGN(const WeightView view, weights.find(name));
    if (!sameButForOnes(view.shape, expected))
        return fail(StatusCode::BadInput, fmt::format("Weight '{}' has the shape {} where the model needs {}.", name,
                                                      view.shape.toString(), expected.toString()));
    std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
    view.toFloat(values.data());
    return values;
}

}  // namespace reelbrush::kernels
