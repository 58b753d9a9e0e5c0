#pragma once

#include "kernels/cuda_module/cuda_module.h"
#include "kernels/plan/backend.h"
#include "kernels/tensor/memory_budget.h"

#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// Computes on a CUDA device: cuDNN for convolutions, cuBLASLt for linears, kernels of our own for the rest.
class CudaBackend : public Backend {
  public:
    /// Errors: Unsupported where there is no driver, card or library for it (named), BadInput for a wrong device.
    static Result<std::unique_ptr<CudaBackend>> create(const CudaOptions& options);
    ~CudaBackend() override;

    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override;
    void keepWeights(const WeightPlacement& placement) override;
    Status arrange(std::span<Step* const> steps) override;
    void enter() override;
    std::string name() const override;
    Device* device() override;
    Result<Backend*> wider() override;
    Result<std::unique_ptr<DeviceMemory>> allocateArena(std::size_t bytes) override;
    std::shared_ptr<MemoryBudget> memory() const override;
    std::shared_ptr<MemoryBudget> sharedMemory() const override;

  private:
    CudaBackend();
    static Result<std::unique_ptr<CudaBackend>> open(const CudaOptions& options, std::shared_ptr<MemoryBudget> budget,
                                                     std::shared_ptr<MemoryBudget> pinnedBudget);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace reelbrush::kernels
