#pragma once

#include "kernels/plan/backend.h"
#include "kernels/plan/device.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace reelbrush::kernels {

/// A queue that computes when it is told to, as a GPU's does, in memory that nobody else can reach: touching it from
/// outside ends the program.
class QueueDevice final : public Device {
  public:
    using Work = std::function<Status()>;

    DType valueType() const override { return DType::F32; }
    Result<std::unique_ptr<DeviceMemory>> allocateShared(std::size_t bytes, const char* purpose) override;
    /// Memory that only queued work may touch.
    Result<std::unique_ptr<DeviceMemory>> allocateOwn(std::size_t bytes);
    Status load(const float* shared, std::int64_t count, DType type, std::byte* value) override;
    Status store(const std::byte* value, DType type, std::int64_t count, float* shared) override;
    Status queue(Work work);
    Status finish() override;
    Result<std::unique_ptr<Recording>> record(const Work& work) override;
    /// Every piece of work takes a second.
    Result<double> timed(const Work& work) override;

    int recordings = 0, replays = 0;

  private:
    class OwnMemory;
    struct Replay;

    std::vector<Work> queued_;
    std::vector<OwnMemory*> own_;
};

/// Another backend behind such a queue; in f32.
class QueueBackend final : public Backend {
  public:
    /// The plain reference.
    QueueBackend();
    explicit QueueBackend(std::unique_ptr<Backend> host);

    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override;
    void enter() override { host_->enter(); }
    Device* device() override { return &queue; }
    Result<std::unique_ptr<DeviceMemory>> allocateArena(std::size_t bytes) override { return queue.allocateOwn(bytes); }

    QueueDevice queue;

  private:
    std::unique_ptr<Backend> host_;
};

}  // namespace reelbrush::kernels
