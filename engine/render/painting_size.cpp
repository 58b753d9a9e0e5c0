#include "engine/render/painting_size.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::render {

namespace {

// The model works on latents 8 times smaller and halves those; below 32 nothing would be left of them.
constexpr int kMultiple = 16;
constexpr int kLeastSide = 32;

int roundUp(int value, int multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

int paddingMultiple(cv::Size size) {
    return roundUp(std::min(size.width, size.height), kMultiple) < kLeastSide ? kLeastSide : kMultiple;
}

cv::Size paintingSize(cv::Size size) {
    const int multiple = paddingMultiple(size);
    return {roundUp(size.width, multiple), roundUp(size.height, multiple)};
}

Status checkSize(cv::Size size) {
    const auto fits = [](int side) { return side >= 1 && side <= kMaxSide; };
    if (fits(size.width) && fits(size.height)) return {};
    return fail(StatusCode::BadInput,
                fmt::format("the size {}x{} cannot be painted: width and height must lie between 1 and {} pixels",
                            size.width, size.height, kMaxSide));
}

}  // namespace reelbrush::render
