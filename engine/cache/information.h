#pragma once

#include "engine/cache/frame_format.h"

#include <cstddef>
#include <span>

namespace reelbrush::cache {

/// Shannon entropy of the bytes' histogram, in bits a byte: 0 (all the same) to 8. No bytes: 0.
double byteEntropy(std::span<const std::byte> bytes);

/// What a frame's bytes carry, 0 to 8 bits each, estimated from a few bands of its rows after the best filter that
/// needs no other frame: about what a compressor leaves of it. frame: as checkFrame wants it.
double informationOf(const FrameView& frame);

}  // namespace reelbrush::cache
