#include "kernels/ops/input_check.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Status expectInputs(const char* op, std::span<const Shape> inputs, std::size_t count) {
    if (inputs.size() == count) return {};
    return fail(shapeError(op, fmt::format("{} inputs", count), inputs));
}

Status expectRank(const char* op, const Shape& shape, std::size_t rank) {
    if (shape.rank() == rank) return {};
    return fail(shapeError(op, fmt::format("a tensor of rank {}", rank), std::span(&shape, 1)));
}

Error shapeError(const char* op, const std::string& expected, std::span<const Shape> inputs) {
    std::string list;
    for (const Shape& shape : inputs) list += (list.empty() ? "" : ", ") + shape.toString();
    return Error{StatusCode::BadInput,
                 fmt::format("{} expects {}, got {}", op, expected, list.empty() ? "none" : list)};
}

}  // namespace reelbrush::kernels
