#pragma once

#include <cstddef>
#include <cstdint>

namespace reelbrush::kernels {

/// Places several blocks in a step's scratch, each at a multiple of 256 bytes of the address space, as cuBLASLt and
/// cuDNN want their work space; scratch itself is aligned to less.
class ScratchLayout {
  public:
    /// Where the block begins, counted from the address that `base` gives.
    std::size_t add(std::size_t bytes) {
        const std::size_t place = usedBytes_;
        usedBytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
        return place;
    }
    /// What scratchBytes() has to say.
    std::size_t totalBytes() const { return usedBytes_ == 0 ? 0 : usedBytes_ + kAlignment; }

    static std::byte* base(std::byte* scratch) {
        const auto address = reinterpret_cast<std::uintptr_t>(scratch);
        return scratch + (kAlignment - address % kAlignment) % kAlignment;
    }

  private:
    static constexpr std::size_t kAlignment = 256;
    std::size_t usedBytes_ = 0;
};

}  // namespace reelbrush::kernels
