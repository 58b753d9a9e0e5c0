#include "tests/kernels/support/queue_backend.h"

#include "kernels/reference/reference_backend.h"

#include <sys/mman.h>

#include <algorithm>

namespace reelbrush::kernels {

class QueueDevice::OwnMemory final : public DeviceMemory {
  public:
    OwnMemory(QueueDevice& device, std::size_t bytes) : device_(device), bytes_(bytes) {
        data_ = mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        device_.own_.push_back(this);
    }
    ~OwnMemory() override {
        std::erase(device_.own_, this);
        munmap(data_, std::max<std::size_t>(bytes_, 1));
    }
    std::byte* data() override { return static_cast<std::byte*>(data_); }
    std::size_t sizeBytes() const override { return bytes_; }
    void protect(int protection) { mprotect(data_, std::max<std::size_t>(bytes_, 1), protection); }

  private:
    QueueDevice& device_;
    std::size_t bytes_;
    void* data_;
};

struct QueueDevice::Replay final : Recording {
    Replay(QueueDevice& owner, std::vector<Work> kept) : device(owner), works(std::move(kept)) {}
    Status replay() override {
        ++device.replays;
        device.queued_.insert(device.queued_.end(), works.begin(), works.end());
        return {};
    }
    QueueDevice& device;
    std::vector<Work> works;
};

Result<std::unique_ptr<DeviceMemory>> QueueDevice::allocateShared(std::size_t bytes, const char*) {
    return ReferenceBackend().allocateArena(bytes);
}

Result<std::unique_ptr<DeviceMemory>> QueueDevice::allocateOwn(std::size_t bytes) {
    return std::make_unique<OwnMemory>(*this, bytes);
}

Status QueueDevice::load(const float* shared, std::int64_t count, DType, std::byte* value) {
    return queue([=]() -> Status {
        std::copy_n(shared, count, reinterpret_cast<float*>(value));
        return {};
    });
}

Status QueueDevice::store(const std::byte* value, DType, std::int64_t count, float* shared) {
    return queue([=]() -> Status {
        std::copy_n(reinterpret_cast<const float*>(value), count, shared);
        return {};
    });
}

Status QueueDevice::queue(Work work) {
    queued_.push_back(std::move(work));
    return {};
}

Status QueueDevice::finish() {
    for (OwnMemory* memory : own_) memory->protect(PROT_READ | PROT_WRITE);
    Status result;
    for (const Work& work : std::exchange(queued_, {}))
        if (result) result = work();
    for (OwnMemory* memory : own_) memory->protect(PROT_NONE);
    return result;
}

Result<std::unique_ptr<Recording>> QueueDevice::record(const Work& work) {
    const std::vector<Work> before = std::exchange(queued_, {});
    RB_TRY(work());
    ++recordings;
    return std::make_unique<Replay>(*this, std::exchange(queued_, before));
}

Result<double> QueueDevice::timed(const Work& work) {
    RB_TRY(work());
    RB_TRY(finish());
    return 1.0;
}

namespace {

class QueuedStep final : public Step {
  public:
    QueuedStep(QueueDevice& device, std::unique_ptr<Step> step) : device_(device), step_(std::move(step)) {}
    void bind(const StepBuffers& buffers) override { step_->bind(buffers); }
    Status run() override {
        return device_.queue([this] { return step_->run(); });
    }
    Status loadWeights(const WeightProvider& weights) override { return step_->loadWeights(weights); }
    std::size_t scratchBytes() const override { return step_->scratchBytes(); }
    std::size_t weightBytes() const override { return step_->weightBytes(); }
    std::string algorithm() const override { return step_->algorithm(); }
    bool isInt8() const override { return step_->isInt8(); }
    double operations() const override { return step_->operations(); }

  private:
    QueueDevice& device_;
    std::unique_ptr<Step> step_;
};

}  // namespace

QueueBackend::QueueBackend() : QueueBackend(std::make_unique<ReferenceBackend>()) {}
QueueBackend::QueueBackend(std::unique_ptr<Backend> host) : host_(std::move(host)) {}

Result<std::unique_ptr<Step>> QueueBackend::prepare(const StepRequest& request) {
    RB_ASSIGN(auto step, host_->prepare(request));
    return std::make_unique<QueuedStep>(queue, std::move(step));
}

}  // namespace reelbrush::kernels
