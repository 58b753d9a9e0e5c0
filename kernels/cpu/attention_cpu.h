#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

/// Attention over several key/value segments (kernels/ops/attention.h), on up to `threads` threads: tiles of keys are
/// packed once per block of queries, scores live for one tile only, and sums are rescaled as higher scores come
/// (online softmax, Milakov and Gimelshein 2018; tiling as in Dao et al. 2022).
Result<std::unique_ptr<Step>> makeAttentionStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
