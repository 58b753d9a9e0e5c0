#include "engine/weights/layouts/weight_shapes.h"

#include <fmt/format.h>

namespace reelbrush::weights {

std::vector<std::int64_t> WeightShapes::shape(std::string_view name) const {
    if (!weights_.contains(name)) return {};
    const auto view = weights_.find(name);
    if (!view) return {};
    return {view->shape.dims().begin(), view->shape.dims().end()};
}

std::int64_t WeightShapes::dim(std::string_view name, std::size_t axis) const {
    const auto dims = shape(name);
    return axis < dims.size() ? dims[axis] : 0;
}

int WeightShapes::count(std::string_view before, std::string_view after) const {
    int count = 0;
    while (has(fmt::format("{}{}{}", before, count, after))) ++count;
    return count;
}

}  // namespace reelbrush::weights
