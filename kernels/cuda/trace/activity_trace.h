#pragma once

#include "kernels/cuda_module/cuda_module.h"
#include "kernels/tensor/tracer.h"

#include <memory>

namespace reelbrush::kernels {

/// Kernels and copies of all CUDA devices, with the devices' own times, those of graphs one by one. Begins before the
/// graphs are made that are to be seen. Errors: Unsupported where CUPTI is missing or another program uses it, or where
/// a trace runs already.
Result<std::unique_ptr<CudaTrace>> startActivityTrace(std::shared_ptr<Tracer> tracer);

}  // namespace reelbrush::kernels
