#pragma once

#include "kernels/cpu/onednn.h"
#include "kernels/cpu/weight_rows.h"
#include "kernels/plan/step.h"
#include "kernels/tensor/memory_budget.h"

#include <memory>
#include <string>

namespace reelbrush::kernels {

/// A product of [rows, inFeatures] with joined weights [outFeatures, inFeatures]^T: a Linear, or a 1x1 convolution,
/// which is the same over pixels.
struct LinearProblem {
    std::int64_t rows = 0, inFeatures = 0, outFeatures = 0;
    bool hasResidual = false;
    Activation activation = Activation::None;
    WeightRows weights;
    int threads = 1;
    Onednn onednn;
    std::shared_ptr<MemoryBudget> budget;

    /// request: of a Linear, or of a Conv2d for which isLinear is true.
    LinearProblem(const StepRequest& request, int threadCount, std::shared_ptr<MemoryBudget> weightBudget);

    double operations() const;
    /// Everything that decides which algorithm is fastest, as text.
    std::string key() const;
    /// Weights as they are stored, rows of [inFeatures], seen as [inFeatures, outFeatures].
    dnnl::memory::desc storedWeightDesc(dnnl::memory::data_type type) const;
};

/// True for convolutions that look at one pixel only.
bool isLinear(const Conv2d& op);

}  // namespace reelbrush::kernels
