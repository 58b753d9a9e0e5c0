#include "kernels/plan/backend.h"

#include "kernels/tensor/buffer.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

class HostMemory final : public DeviceMemory {
  public:
    explicit HostMemory(Buffer buffer) : buffer_(std::move(buffer)) {}

    std::byte* data() override { return buffer_.data(); }
    std::size_t sizeBytes() const override { return buffer_.sizeBytes(); }
    std::size_t residentBytes() const override { return buffer_.residentBytes(); }

  private:
    Buffer buffer_;
};

}  // namespace

Result<std::unique_ptr<DeviceMemory>> Backend::allocateArena(std::size_t bytes) {
    RB_ASSIGN(Buffer buffer, Buffer::allocate(bytes, memory(), "the work space"));
    return std::make_unique<HostMemory>(std::move(buffer));
}

}  // namespace reelbrush::kernels
