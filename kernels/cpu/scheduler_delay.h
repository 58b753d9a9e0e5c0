#pragma once

namespace reelbrush::kernels {

/// Seconds that threads of this process were ready to run but had no processor, since they started, over all threads
/// that live now. Grows only where others compete for the processors; 0 where the system does not tell.
double schedulerDelaySeconds();

}  // namespace reelbrush::kernels
