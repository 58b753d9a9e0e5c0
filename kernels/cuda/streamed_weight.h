#pragma once

#include "kernels/cuda/cuda_memory.h"
#include "kernels/cuda/weight_ring.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace reelbrush::kernels {

/// A weight that lives in page-locked host memory and is on the device only while it is used. Those of one plan are
/// arranged: each is copied as early as the ring has room for it, behind the compute of what comes before; their
/// bring() and release() must then be called in that order. One that is not arranged is copied when it is wanted.
class StreamedWeight {
  public:
    /// bytes: at most the ring's. pinnedBudget: may be null. Errors: OutOfMemory.
    static Result<std::unique_ptr<StreamedWeight>> create(std::size_t bytes, std::shared_ptr<WeightRing> ring,
                                                          std::shared_ptr<MemoryBudget> pinnedBudget);
    ~StreamedWeight();
    StreamedWeight(const StreamedWeight&) = delete;
    StreamedWeight& operator=(const StreamedWeight&) = delete;

    /// Fixes places and order; none is arranged twice. All must live as long as one of them is used.
    static void arrange(std::span<StreamedWeight* const> weights);

    std::byte* host() const { return host_->data(); }
    std::size_t sizeBytes() const { return host_->sizeBytes(); }
    /// Where it is on the device between bring() and release(), and outside of runs may be written.
    std::byte* slot() const { return ring_->data() + offset_; }

    /// What is queued next to compute finds it at slot().
    Status bring() const;
    /// What is queued from now on no longer needs it.
    Status release() const;

  private:
    explicit StreamedWeight(std::shared_ptr<WeightRing> ring) : ring_(std::move(ring)) {}
    Status copy() const;

    std::shared_ptr<WeightRing> ring_;
    std::unique_ptr<PinnedMemory> host_;
    cudaEvent_t copied_ = nullptr, read_ = nullptr;
    std::size_t offset_ = 0;
    bool isArranged_ = false;
    std::vector<const StreamedWeight*> first_;  ///< of the first in the order: what can be copied at once
    std::vector<const StreamedWeight*> next_;   ///< what can be copied once this has been read
};

}  // namespace reelbrush::kernels
