#pragma once

#include "kernels/cuda/convolution_graph.h"
#include "kernels/cuda/convolution_plan.h"

namespace reelbrush::kernels {

/// Queues a convolution with its epilogue without any library, for shapes and cards that cuDNN has nothing for. Slow.
/// shape.inputs: a multiple of what 16 bytes hold. y and residual have `channels` <= shape.outputs channels.
/// operands.workspace is not used.
Status convolveDirectly(const ConvolutionShape& shape, std::int64_t channels, const ConvolutionOperands& operands,
                        cudaStream_t stream);

}  // namespace reelbrush::kernels
