#pragma once

#include "kernels/cuda/weight_pool.h"
#include "kernels/cuda/weight_ring.h"
#include "kernels/plan/weight_placement.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// Decides where each weight is kept, as a placement asks for, and gives the memory for it. Thread: one at a time.
class WeightResidency {
  public:
    /// compute: the stream that reads weights; must outlive this. budget: may be null.
    WeightResidency(cudaStream_t compute, std::shared_ptr<MemoryBudget> budget)
        : compute_(compute), budget_(budget), pool_(std::move(budget)) {}

    /// For weights from now on.
    void keep(const WeightPlacement& placement);
    const WeightPlacement& placement() const { return placement_; }

    WeightPool& pool() { return pool_; }
    bool isSmall(std::size_t bytes) const { return bytes < placement_.smallBytes; }
    /// Whether the next weight is streamed; those that are lie evenly among the others. bytes: as it is kept.
    bool nextIsStreamed(std::size_t bytes);
    /// Made when first asked for. Errors: OutOfMemory.
    Result<std::shared_ptr<WeightRing>> ring();

  private:
    cudaStream_t compute_;
    std::shared_ptr<MemoryBudget> budget_;
    WeightPlacement placement_;
    WeightPool pool_;
    std::weak_ptr<WeightRing> ring_;
    double owedBytes_ = 0.0;  ///< that should have been streamed so far and were not
};

}  // namespace reelbrush::kernels
