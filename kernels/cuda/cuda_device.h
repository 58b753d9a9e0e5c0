#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/device.h"

namespace reelbrush::kernels {

/// The queue of a CUDA backend.
class CudaDevice final : public Device {
  public:
    /// context must outlive this.
    explicit CudaDevice(const CudaContext& context) : context_(context) {}

    DType valueType() const override { return context_.valueType; }
    Result<std::unique_ptr<DeviceMemory>> allocateShared(std::size_t bytes, const char* purpose) override;
    Status load(const float* shared, std::int64_t count, DType type, std::byte* value) override;
    Status store(const std::byte* value, DType type, std::int64_t count, float* shared) override;
    Status finish() override;
    Result<std::unique_ptr<Recording>> record(const std::function<Status()>& work) override;
    Result<double> timed(const std::function<Status()>& work) override;

  private:
    const CudaContext& context_;
};

}  // namespace reelbrush::kernels
