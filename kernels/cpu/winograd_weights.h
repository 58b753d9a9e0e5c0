#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>

namespace reelbrush::kernels {

/// Where oneDNN's Winograd convolution of 4x4 outputs and 3x3 kernels wants its transformed weights: groups of outputs,
/// the 36 frequencies, groups of inputs, then blocks of 16 inputs x 16 outputs. Transforming takes four times the
/// memory of the weights themselves, but so little time that a large layer can do it anew in every run.
struct WinogradWeightLayout {
    int inBlocks = 0, outBlocks = 0;  ///< of 16 channels
    int inGroup = 1, outGroup = 1;    ///< blocks side by side

    /// Nothing where desc is of another kind.
    static std::optional<WinogradWeightLayout> of(const dnnl::memory::desc& desc);
    std::size_t floats() const { return std::size_t{36} * 256 * static_cast<std::size_t>(inBlocks * outBlocks); }
};

/// from: weights in oneDNN's OIhw16i16o; to: layout.floats(), both 64-byte aligned. Gives what oneDNN's own reorder
/// does, within rounding.
void transformWinogradWeights(const float* from, const WinogradWeightLayout& layout, int threads, float* to);

}  // namespace reelbrush::kernels
