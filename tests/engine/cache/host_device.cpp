#include "tests/engine/cache/host_device.h"

#include <cstring>
#include <vector>

namespace reelbrush::cache::testing {

namespace {

class HostMemory : public kernels::DeviceMemory {
  public:
    HostMemory(std::size_t bytes, std::shared_ptr<std::size_t> allocated)
        : bytes_(bytes), allocated_(std::move(allocated)) {
        if (allocated_) *allocated_ += bytes;
    }
    ~HostMemory() override {
        if (allocated_) *allocated_ -= bytes_.size();
    }
    std::byte* data() override { return bytes_.data(); }
    std::size_t sizeBytes() const override { return bytes_.size(); }

  private:
    std::vector<std::byte> bytes_;
    std::shared_ptr<std::size_t> allocated_;
};

}  // namespace

Result<std::unique_ptr<kernels::DeviceMemory>> HostDevice::allocateArena(std::size_t bytes) {
    if (*allocated_ + bytes > mostBytes) return fail(StatusCode::OutOfMemory, "the device is full");
    return std::unique_ptr<kernels::DeviceMemory>(std::make_unique<HostMemory>(bytes, allocated_));
}

Result<std::unique_ptr<kernels::DeviceMemory>> HostDevice::allocateShared(std::size_t bytes, const char*) {
    return std::unique_ptr<kernels::DeviceMemory>(std::make_unique<HostMemory>(bytes, nullptr));
}

Status HostDevice::load(const float* shared, std::int64_t count, kernels::DType type, std::byte* value) {
    if (type != kernels::DType::F32) return fail(StatusCode::Unsupported, "float32 only");
    std::memcpy(value, shared, static_cast<std::size_t>(count) * sizeof(float));
    return {};
}

Status HostDevice::store(const std::byte* value, kernels::DType type, std::int64_t count, float* shared) {
    if (type != kernels::DType::F32) return fail(StatusCode::Unsupported, "float32 only");
    std::memcpy(shared, value, static_cast<std::size_t>(count) * sizeof(float));
    return {};
}

}  // namespace reelbrush::cache::testing
