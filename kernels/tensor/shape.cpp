#include "kernels/tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace reelbrush::kernels {

Shape::Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const std::int64_t> dims) : rank_(std::min(dims.size(), kMaxRank)) {
    std::copy_n(dims.begin(), rank_, dims_.begin());
}

std::int64_t Shape::elements() const {
    std::int64_t product = 1;
    for (std::int64_t dim : dims()) product *= dim;
    return product;
}

std::int64_t Shape::rows() const {
    return channels() == 0 ? 0 : elements() / channels();
}

bool Shape::operator==(const Shape& other) const {
    return std::ranges::equal(dims(), other.dims());
}

std::string Shape::toString() const {
    return fmt::format("[{}]", fmt::join(dims(), ","));
}

}  // namespace reelbrush::kernels
