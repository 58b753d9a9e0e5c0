#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

#include <cstddef>
#include <memory>
#include <span>

namespace reelbrush::kernels {

/// Which of several steps for the same node is fastest on the device: all are run on memory of their own. Those that
/// fail are passed over; of two that are about as fast the earlier wins. Where the card has no memory left for trials,
/// the first is taken. The steps are left bound to memory that is gone.
/// steps: not empty. Errors: of the first step, where none works.
Result<std::size_t> fastestStep(std::span<const std::unique_ptr<Step>> steps, const StepRequest& request,
                                const CudaContext& context);

}  // namespace reelbrush::kernels
