#pragma once

#include "kernels/cpu/onednn.h"
#include "kernels/cpu/weight_rows.h"
#include "kernels/plan/step.h"
#include "kernels/tensor/memory_budget.h"

#include <memory>
#include <string>

namespace reelbrush::kernels {

/// What every algorithm for convolutions needs to know. Algorithms compute one sample at a time, so that a sample's
/// result does not depend on its neighbours in the batch.
struct Conv2dProblem {
    Conv2d op;
    std::int64_t batch = 1;
    std::int64_t inHeight = 0, inWidth = 0, inChannels = 0;
    std::int64_t outHeight = 0, outWidth = 0;
    WeightRows weights;
    int threads = 1;
    Onednn onednn;
    std::shared_ptr<MemoryBudget> budget;

    Conv2dProblem(const StepRequest& request, int threadCount, std::shared_ptr<MemoryBudget> weightBudget);

    std::int64_t inputElements() const { return inHeight * inWidth * inChannels; }         ///< of one sample
    std::int64_t outputElements() const { return outHeight * outWidth * op.outChannels; }  ///< of one sample
    double operations() const;
    /// Everything that decides which algorithm is fastest, as text.
    std::string key() const;

    dnnl::memory::dims inputDims() const { return {1, inChannels, inHeight, inWidth}; }
    dnnl::memory::dims outputDims() const { return {1, op.outChannels, outHeight, outWidth}; }
    dnnl::memory::dims weightDims() const { return {op.outChannels, inChannels, op.kernelHeight, op.kernelWidth}; }
    /// Weights as they are stored, [out, in, kh, kw].
    dnnl::memory::desc storedWeightDesc(dnnl::memory::data_type type) const;
    dnnl::memory::desc biasDesc() const;

    struct Layouts {
        dnnl::memory::desc source, weights, destination;
        bool hasBias = false;
    };
    /// Throws dnnl::error where the algorithm cannot compute this problem.
    dnnl::convolution_forward::primitive_desc describe(dnnl::algorithm algorithm, const Layouts& layouts,
                                                       const dnnl::primitive_attr& attr) const;
};

/// Puts the residual of one sample where the convolution will add its sums; nothing where it already is there.
void placeResidual(const float* residual, float* output, std::int64_t elements, int threads);

}  // namespace reelbrush::kernels
