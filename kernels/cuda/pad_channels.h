#pragma once

#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace reelbrush::kernels {

/// Channels as tensor cores want them: the next multiple of what 16 bytes hold.
std::int64_t paddedChannels(std::int64_t channels, DType type);

/// Queues a copy of x [rows,channels] to y [rows,paddedChannels], zeros behind the channels.
Status padChannels(const void* x, std::int64_t rows, std::int64_t channels, DType type, void* y, cudaStream_t stream);

}  // namespace reelbrush::kernels
