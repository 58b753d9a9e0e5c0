#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <span>
#include <vector>

namespace reelbrush::kernels {

/// Multi-head scaled dot-product attention over one or several key/value segments, as if the segments were joined:
/// softmax(scale * Q [K1 K2 ...]^T) [V1 V2 ...]. The joined keys and the score matrix never exist in memory.
/// Cross-frame attention comes through here: anchors' keys and values are further segments.
/// Inputs: q [N,Tq,*]; then k [n,Tk,*] and v [n,Tk,*] of each segment, n = N or 1 (shared by the whole batch).
/// Of each input the channels [offset, offset + heads * headSize) are used, so that a joint Q|K|V product can be read
/// in place. Output: [N,Tq,heads * headSize].
struct Attention {
    int heads = 1;
    int headSize = 64;
    float scale = 0.0f;                 ///< 0: 1 / sqrt(headSize)
    std::vector<int> channelOffsets{};  ///< first channel used of each input; empty: all zero
    /// A query sees no key behind its own place: key j only where j <= i. One segment with as many keys as queries.
    bool causal = false;

    int channels() const { return heads * headSize; }
    int offsetOf(std::size_t input) const { return channelOffsets.empty() ? 0 : channelOffsets[input]; }
    float effectiveScale() const;
};

Result<Shape> outputShape(const Attention& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
