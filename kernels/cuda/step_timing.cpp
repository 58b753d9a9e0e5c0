#include "kernels/cuda/step_timing.h"

#include "kernels/cuda/cuda_status.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace reelbrush::kernels {

namespace {

/// As a half 0.53, as f32 or bfloat16 0.00004: zeros would let some processors run faster than they do at work.
constexpr int kFillByte = 0x38;

class TimingEvent {
  public:
    TimingEvent() { cudaEventCreate(&event_); }
    ~TimingEvent() { cudaEventDestroy(event_); }
    TimingEvent(const TimingEvent&) = delete;
    TimingEvent& operator=(const TimingEvent&) = delete;
    cudaEvent_t get() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

class TrialMemory {
  public:
    static Result<TrialMemory> allocate(const StepRequest& request, std::size_t scratchBytes,
                                        const CudaContext& context) {
        TrialMemory memory;
        for (const Shape& shape : request.inputs) RB_TRY(memory.add(valueBytes(shape, context), context));
        RB_TRY(memory.add(valueBytes(request.output, context), context));
        RB_TRY(memory.add(scratchBytes, context));
        return memory;
    }
    void bind(Step& step) const {
        StepBuffers buffers;
        for (std::size_t i = 0; i + 2 < blocks_.size(); ++i)
            buffers.inputs.push_back(reinterpret_cast<const float*>(blocks_[i]->data()));
        buffers.output = reinterpret_cast<float*>(blocks_[blocks_.size() - 2]->data());
        buffers.scratch = blocks_.back()->data();
        step.bind(buffers);
    }

  private:
    static std::size_t valueBytes(const Shape& shape, const CudaContext& context) {
        return static_cast<std::size_t>(shape.elements()) * sizeOf(context.valueType);
    }
    Status add(std::size_t bytes, const CudaContext& context) {
        RB_ASSIGN(auto block, context.allocate(bytes, "timing a layer on the GPU"));
        if (bytes > 0)
            RB_TRY(cudaStatus(cudaMemsetAsync(block->data(), kFillByte, bytes, context.stream), "timing a layer"));
        blocks_.push_back(std::move(block));
        return {};
    }
    std::vector<std::unique_ptr<CudaMemory>> blocks_;  ///< inputs, output, scratch
};

/// Milliseconds that `runs` runs take, one behind the other.
Result<float> timeRuns(Step& step, int runs, const CudaContext& context) {
    const TimingEvent before, after;
    RB_TRY(cudaStatus(cudaEventRecord(before.get(), context.stream), "timing a layer"));
    for (int i = 0; i < runs; ++i) RB_TRY(step.run());
    RB_TRY(cudaStatus(cudaEventRecord(after.get(), context.stream), "timing a layer"));
    RB_TRY(cudaStatus(cudaEventSynchronize(after.get()), "timing a layer"));
    float milliseconds = 0.0f;
    RB_TRY(cudaStatus(cudaEventElapsedTime(&milliseconds, before.get(), after.get()), "timing a layer"));
    return milliseconds;
}

/// The fastest of a few bursts, each long enough that starting it does not count.
Result<float> bestTime(Step& step, const CudaContext& context) {
    constexpr float kBurstMilliseconds = 0.3f;
    constexpr int kMostRuns = 20, kBursts = 3;
    RB_TRY(timeRuns(step, 1, context));  // loads the kernels
    RB_ASSIGN(const float once, timeRuns(step, 1, context));
    const int runs = std::clamp(static_cast<int>(kBurstMilliseconds / std::max(once, 1e-3f)), 1, kMostRuns);
    float best = std::numeric_limits<float>::max();
    for (int burst = 0; burst < kBursts; ++burst) {
        RB_ASSIGN(const float taken, timeRuns(step, runs, context));
        best = std::min(best, taken / static_cast<float>(runs));
    }
    return best;
}

}  // namespace

Result<std::size_t> fastestStep(std::span<const std::unique_ptr<Step>> steps, const StepRequest& request,
                                const CudaContext& context) {
    if (steps.size() == 1) return std::size_t{0};
    std::size_t scratchBytes = 0;
    for (const auto& step : steps) scratchBytes = std::max(scratchBytes, step->scratchBytes());
    auto memory = TrialMemory::allocate(request, scratchBytes, context);
    if (!memory && memory.error().code == StatusCode::OutOfMemory) return std::size_t{0};
    if (!memory) return fail(std::move(memory).error());

    // A later step must be clearly faster than what came before it.
    constexpr float kClearly = 0.97f;
    std::optional<std::size_t> fastest;
    std::optional<Error> firstError;
    float best = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        memory->bind(*steps[i]);
        const auto taken = bestTime(*steps[i], context);
        if (!taken && !firstError) firstError = taken.error();
        if (!taken || *taken >= kClearly * best) continue;
        fastest = i;
        best = *taken;
    }
    if (!fastest) return fail(*firstError);
    return *fastest;
}

}  // namespace reelbrush::kernels
