#pragma once

#include "kernels/tensor/memory_budget.h"
#include "kernels/tensor/status.h"

#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// A page-aligned block of host memory, owned, zero-filled, counted in a budget, given back to the system when it dies.
class Buffer {
  public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    ~Buffer();

    /// budget: may be null; kept alive by the buffer. bytes 0 gives an empty buffer.
    /// Errors: OutOfMemory when the budget or the system refuses.
    static Result<Buffer> allocate(std::size_t bytes, std::shared_ptr<MemoryBudget> budget, const char* purpose);

    std::byte* data() { return data_; }
    const std::byte* data() const { return data_; }
    std::size_t sizeBytes() const { return sizeBytes_; }
    template <typename T>
    T* as() {
        return reinterpret_cast<T*>(data_);
    }
    template <typename T>
    const T* as() const {
        return reinterpret_cast<const T*>(data_);
    }
    /// Bytes of this block that the system backs with memory now (whole pages).
    std::size_t residentBytes() const;

  private:
    void release();

    std::byte* data_ = nullptr;
    std::size_t sizeBytes_ = 0;
    MemoryClaim claim_;
};

}  // namespace reelbrush::kernels
