#pragma once

#include "engine/core/status.h"
#include "kernels/plan/backend.h"

namespace reelbrush::session {

/// What a GPU reaches at best through its backend, in the same run as what is held against it.
struct DevicePeaks {
    double gigaOperationsPerSecond = 0.0;  ///< of a matrix product of 8192 x 8192 x 8192
    double gigabytesPerSecond = 0.0;       ///< of reading and writing 512 MiB each
};

/// GB/s of reading and writing values that no cache holds: 512 MiB each on a GPU, 128 MiB each on the processor.
Result<double> measureBandwidth(kernels::Backend& backend);

/// Takes a second or two, and 1 GiB of the device's memory. Errors: those of compiling and running.
Result<DevicePeaks> measureDevicePeaks(kernels::Backend& backend);

}  // namespace reelbrush::session
