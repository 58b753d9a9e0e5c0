#include "engine/cache/frame_format.h"

#include <fmt/format.h>

namespace reelbrush::cache {

namespace {

constexpr std::int32_t kMostSide = 65'536, kMostChannels = 64;

bool isShape(const FrameShape& shape) {
    return shape.width >= 1 && shape.width <= kMostSide && shape.height >= 1 && shape.height <= kMostSide &&
           shape.channels >= 1 && shape.channels <= kMostChannels && bytesOf(shape.type) != 0;
}

}  // namespace

std::size_t bytesOf(SampleType type) {
    switch (type) {
        case SampleType::Bits8:
            return 1;
        case SampleType::Bits10:
        case SampleType::Bits16:
        case SampleType::Float16:
            return 2;
        case SampleType::Float32:
            return 4;
    }
    return 0;
}

const char* nameOf(SampleType type) {
    switch (type) {
        case SampleType::Bits8:
            return "8-bit";
        case SampleType::Bits10:
            return "10-bit";
        case SampleType::Bits16:
            return "16-bit";
        case SampleType::Float16:
            return "float16";
        case SampleType::Float32:
            return "float32";
    }
    return "unknown";
}

std::size_t FrameShape::rowBytes() const {
    return isShape(*this) ? static_cast<std::size_t>(width) * static_cast<std::size_t>(channels) * bytesOf(type) : 0;
}

std::size_t FrameShape::sizeBytes() const {
    return rowBytes() * static_cast<std::size_t>(isShape(*this) ? height : 0);
}

Status checkFrame(const FrameView& frame) {
    const FrameShape& shape = frame.shape;
    if (shape.sizeBytes() == 0)
        return fail(
            StatusCode::BadInput,
            fmt::format("a frame of {}x{} with {} channels cannot be kept in the frame cache: expected sides of "
                        "1 to {} and 1 to {} channels",
                        shape.width, shape.height, shape.channels, kMostSide, kMostChannels));
    if (frame.bytes.size() != shape.sizeBytes())
        return fail(
            StatusCode::BadInput,
            fmt::format("a {} frame of {}x{} with {} channels has {} bytes, but {} were given", nameOf(shape.type),
                        shape.width, shape.height, shape.channels, shape.sizeBytes(), frame.bytes.size()));
    return {};
}

}  // namespace reelbrush::cache
