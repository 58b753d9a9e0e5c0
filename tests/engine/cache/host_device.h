#pragma once

#include "kernels/plan/backend.h"

#include <memory>

namespace reelbrush::cache::testing {

/// A GPU made of the host's memory, which counts what it has given out and can have too little of it.
class HostDevice : public kernels::Backend, public kernels::Device {
  public:
    std::size_t allocatedBytes() const { return *allocated_; }
    std::size_t mostBytes = SIZE_MAX;

    // Backend
    Result<std::unique_ptr<kernels::Step>> prepare(const kernels::StepRequest&) override {
        return fail(StatusCode::Unsupported, "it keeps frames only");
    }
    kernels::Device* device() override { return this; }
    Result<std::unique_ptr<kernels::DeviceMemory>> allocateArena(std::size_t bytes) override;

    // Device
    kernels::DType valueType() const override { return kernels::DType::F32; }
    Result<std::unique_ptr<kernels::DeviceMemory>> allocateShared(std::size_t bytes, const char* purpose) override;
    Status load(const float* shared, std::int64_t count, kernels::DType type, std::byte* value) override;
    Status store(const std::byte* value, kernels::DType type, std::int64_t count, float* shared) override;
    Status finish() override { return {}; }
    Result<std::unique_ptr<kernels::Recording>> record(const std::function<Status()>&) override {
        return fail(StatusCode::Unsupported, "it keeps frames only");
    }
    Result<double> timed(const std::function<Status()>&) override { return 0.0; }

  private:
    std::shared_ptr<std::size_t> allocated_ = std::make_shared<std::size_t>(0);
};

}  // namespace reelbrush::cache::testing
