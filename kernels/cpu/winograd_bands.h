#pragma once

#include "kernels/cpu/conv2d_problem.h"

#include <vector>

namespace reelbrush::kernels {

/// A Winograd convolution of some rows of an image with oneDNN: both sides in its blocked layout, and the reorders
/// from and to rows of pixels.
struct WinogradPrimitives {
    using ConvolutionDesc = dnnl::convolution_forward::primitive_desc;
    using ReorderDesc = dnnl::reorder::primitive_desc;

    ConvolutionDesc convolutionDesc;
    ReorderDesc toBlockedDesc, residualToBlockedDesc, toPlainDesc;
    dnnl::convolution_forward convolution;
    dnnl::reorder toBlocked, residualToBlocked, toPlain;

    /// weights: what the convolution must take, or of format `any`. Throws dnnl::error where there is none.
    WinogradPrimitives(const Conv2dProblem& rows, const dnnl::memory::desc& weights);
    std::size_t scratchBytes() const;
};

/// Rows of the output that are computed at once.
struct WinogradBand {
    std::size_t primitives = 0;                    ///< which of WinogradBands::primitives
    std::int64_t firstInput = 0, firstOutput = 0;  ///< rows
};

/// One image from top to bottom in bands small enough that what lies between the transforms stays in the processor's
/// cache. All bands share their weights.
struct WinogradBands {
    std::vector<WinogradPrimitives> primitives;  ///< of each height and padding once
    std::vector<WinogradBand> bands;

    /// Throws dnnl::error where oneDNN has no such convolution here.
    static WinogradBands describe(const Conv2dProblem& problem);
    dnnl::memory::desc weightsDesc() const { return primitives.front().convolutionDesc.weights_desc(); }
};

}  // namespace reelbrush::kernels
