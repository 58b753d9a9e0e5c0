#pragma once

#include "kernels/cpu/onednn.h"
#include "kernels/tensor/buffer.h"

#include <memory>

namespace reelbrush::kernels {

/// Weights in the layout that a primitive asked for, counted in a budget.
class PackedWeights {
  public:
    PackedWeights() = default;
    /// Errors: OutOfMemory.
    static Result<PackedWeights> allocate(const dnnl::memory::desc& packed, std::shared_ptr<MemoryBudget> budget);

    /// Packs weights from their stored layout; may be called again with others.
    Status fill(const Onednn& onednn, const dnnl::memory::desc& stored, const void* data);

    const dnnl::memory::desc& desc() const { return desc_; }
    const void* data() const { return buffer_.data(); }
    std::size_t sizeBytes() const { return buffer_.sizeBytes(); }

  private:
    dnnl::memory::desc desc_;
    Buffer buffer_;
};

}  // namespace reelbrush::kernels
