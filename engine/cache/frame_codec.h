#pragma once

#include "engine/cache/frame_format.h"

#include <cstddef>
#include <span>
#include <vector>

namespace reelbrush::cache {

/// A frame on its way out.
struct PackedFrame {
    std::vector<std::byte> bytes;
    bool usesBase = false;  ///< unpacking needs the base again
};

/// Packs a frame band by band (some rows, about 256 KiB): the filter that fits the band best, then Zstandard's fastest
/// level that codes literals; measured against LZ4 in README.md. Exact for every bit pattern. Needs one band of
/// scratch. frame: as checkFrame wants it. base: another frame of the same shape, or nothing.
PackedFrame packFrame(const FrameView& frame, std::span<const std::byte> base = {});

/// frame: shape.sizeBytes() bytes, which on entry hold the base if packing used one. Needs one band of scratch.
/// Errors: BadInput where `packed` is none of that shape; the frame then holds anything.
Status unpackFrame(const FrameShape& shape, std::span<const std::byte> packed, std::span<std::byte> frame);

}  // namespace reelbrush::cache
