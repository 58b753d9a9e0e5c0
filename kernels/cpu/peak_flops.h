#pragma once

#include "kernels/tensor/status.h"

namespace reelbrush::kernels {

/// What this machine can do at best, in 10^9 operations a second; a multiply-add is two.
struct PeakRates {
    double float32 = 0.0;  ///< fused multiply-adds on registers alone
    double int8 = 0.0;     ///< u8 x s8 products of a large matrix that fits the cache; 0 without fast int8
};

/// Measures for about half a second on `threads` threads; others at work on the machine lower the result.
Result<PeakRates> measurePeakRates(int threads);

}  // namespace reelbrush::kernels
