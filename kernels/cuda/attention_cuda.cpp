#include "kernels/cuda/attention_cuda.h"

#include "kernels/cuda/attention_flash.h"
#include "kernels/cuda/attention_hopper.h"
#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/attention_wide.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/step_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <optional>
#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr std::int64_t kBytesAtOnce = 16;
/// Operations below which all ways take about as long as starting them does.
constexpr double kWorthTiming = 2e8;

/// The problem of a request, all but its addresses.
AttentionProblem problemOf(const StepRequest& request) {
    const auto& op = std::get<Attention>(request.node.op);
    const Shape& q = request.inputs[0];
    const auto batchStrideOf = [&](const Shape& shape) { return shape.batch() == 1 ? 0 : shape[1] * shape.channels(); };
    AttentionProblem problem;
    problem.qBatchStride = q[1] * q.channels();
    problem.qRowStride = static_cast<int>(q.channels());
    problem.batch = static_cast<int>(q.batch());
    problem.queries = static_cast<int>(q[1]);
    problem.heads = op.heads;
    problem.headSize = op.headSize;
    problem.scoreScale = op.effectiveScale() * std::numbers::log2e_v<float>;
    problem.causal = op.causal;
    for (std::size_t i = 1; i + 1 < request.inputs.size(); i += 2) {
        const Shape &k = request.inputs[i], &v = request.inputs[i + 1];
        AttentionSegment& segment = problem.segments[problem.segmentCount++];
        segment.kBatchStride = batchStrideOf(k);
        segment.vBatchStride = batchStrideOf(v);
        segment.kRowStride = static_cast<int>(k.channels());
        segment.vRowStride = static_cast<int>(v.channels());
        segment.tokens = static_cast<int>(k[1]);
    }
    return problem;
}

/// Whether all rows of all heads begin at multiples of 16 bytes, of half-precision values.
bool isAligned(const StepRequest& request) {
    constexpr std::int64_t kElements = kBytesAtOnce / 2;
    const auto& op = std::get<Attention>(request.node.op);
    bool aligned = op.headSize % kElements == 0;
    for (std::size_t i = 0; i < request.inputs.size(); ++i)
        aligned &= request.inputs[i].channels() % kElements == 0 && op.offsetOf(i) % kElements == 0;
    return aligned;
}

/// What all ways to compute it share.
class AttentionStep : public CudaStep {
  public:
    AttentionStep(const StepRequest& request, const CudaContext& context)
        : CudaStep(context), op_(std::get<Attention>(request.node.op)), problem_(problemOf(request)) {
        for (int i = 0; i < problem_.segmentCount; ++i) keys_ += problem_.segments[i].tokens;
    }

    void bind(const StepBuffers& buffers) override {
        CudaStep::bind(buffers);
        const auto elementBytes = sizeOf(context().valueType);
        const auto addressOf = [&](std::size_t index) {
            return input<std::byte>(index) + static_cast<std::size_t>(op_.offsetOf(index)) * elementBytes;
        };
        problem_.q = addressOf(0);
        problem_.output = output<std::byte>();
        for (int i = 0; i < problem_.segmentCount; ++i) {
            const auto index = static_cast<std::size_t>(1 + 2 * i);
            problem_.segments[i].k = addressOf(index);
            problem_.segments[i].v = addressOf(index + 1);
        }
    }
    double operations() const override {
        const double scores = static_cast<double>(problem_.batch) * problem_.heads * problem_.queries *
                              static_cast<double>(keys_) * (op_.causal ? 0.5 : 1.0);
        return 4.0 * scores * problem_.headSize;
    }

  protected:
    const AttentionProblem& problem() const { return problem_; }

  private:
    Attention op_;
    AttentionProblem problem_;
    std::int64_t keys_ = 0;
};

class PlainStep final : public AttentionStep {
  public:
    using AttentionStep::AttentionStep;
    Status run() override { return plainAttention(problem(), context().valueType, stream()); }
    std::string algorithm() const override { return "plain"; }
};

class FlashStep final : public AttentionStep {
  public:
    FlashStep(const StepRequest& request, const CudaContext& context, FlashLaunch launch)
        : AttentionStep(request, context), launch_(launch) {}
    Status run() override {
        launch_(problem(), stream());
        return launchStatus("an attention");
    }
    std::string algorithm() const override { return "flash"; }

  private:
    FlashLaunch launch_;
};

class HopperStep final : public AttentionStep {
  public:
    HopperStep(const StepRequest& request, const CudaContext& context, HopperAttention attention)
        : AttentionStep(request, context), attention_(std::move(attention)) {}
    void bind(const StepBuffers& buffers) override {
        AttentionStep::bind(buffers);
        maps_ = attention_.mapsOf(problem(), context().valueType);
    }
    Status run() override {
        if (!*maps_) return fail(maps_->error());
        attention_.launch(problem(), **maps_, stream());
        return launchStatus("an attention");
    }
    std::string algorithm() const override { return attention_.name; }

  private:
    HopperAttention attention_;
    std::optional<Result<AttentionMaps>> maps_;
};

class WideStep final : public AttentionStep {
  public:
    WideStep(const StepRequest& request, const CudaContext& context, std::unique_ptr<WideAttention> wide)
        : AttentionStep(request, context), wide_(std::move(wide)) {}
    std::size_t scratchBytes() const override { return wide_->scratchBytes(); }
    Status run() override { return wide_->run(problem(), scratch()); }
    std::string algorithm() const override { return "products"; }

  private:
    std::unique_ptr<WideAttention> wide_;
};

using Steps = std::vector<std::unique_ptr<Step>>;

/// Flash kernels: the one for every card, and those for this one.
Result<Steps> flashSteps(const AttentionProblem& problem, const StepRequest& request, const CudaContext& context) {
    const cudaDeviceProp& card = context.properties;
    Steps steps;
    RB_ASSIGN(const FlashLaunch launch, chooseFlash(problem, context.valueType, card.multiProcessorCount));
    steps.push_back(std::make_unique<FlashStep>(request, context, launch));
    if (card.major != 9 || card.minor != 0 || !suitsHopper(problem)) return steps;
    for (HopperAttention& attention : hopperAttentions(problem, context.valueType)) {
        RB_TRY(attention.prepare());
        steps.push_back(std::make_unique<HopperStep>(request, context, std::move(attention)));
    }
    return steps;
}

/// Everything that decides which step is fastest, as text.
std::string keyOf(const AttentionProblem& problem, DType type) {
    std::string key = fmt::format("attention {} b{} q{} h{} d{} k", nameOf(type), problem.batch, problem.queries,
                                  problem.heads, problem.headSize);
    for (int i = 0; i < problem.segmentCount; ++i) {
        const AttentionSegment& segment = problem.segments[i];
        key += fmt::format("{}{}{}", i == 0 ? "" : "+", segment.tokens, segment.kBatchStride == 0 ? "s" : "");
    }
    return key;
}

Result<std::unique_ptr<Step>> chooseStep(Steps steps, const AttentionProblem& problem, const StepRequest& request,
                                         const CudaContext& context) {
    if (steps.size() == 1 || steps.front()->operations() < kWorthTiming) return std::move(steps.front());
    const std::string key = keyOf(problem, context.valueType);
    if (const auto known = context.algorithms->find(key)) {
        const auto isKnown = [&](const auto& step) { return step->algorithm() == *known; };
        if (const auto found = std::find_if(steps.begin(), steps.end(), isKnown); found != steps.end())
            return std::move(*found);
    }
    RB_ASSIGN(const std::size_t fastest, fastestStep(steps, request, context));
    context.algorithms->remember(key, steps[fastest]->algorithm());
    return std::move(steps[fastest]);
}

}  // namespace

Result<std::vector<std::unique_ptr<Step>>> attentionSteps(const StepRequest& request, const CudaContext& context) {
    const std::size_t segments = (request.inputs.size() - 1) / 2;
    if (segments > static_cast<std::size_t>(kMaxAttentionSegments))
        return fail(StatusCode::Unsupported,
                    fmt::format("An attention joins {} segments of keys, and CUDA devices at most {}: use fewer "
                                "anchor frames.",
                                segments, kMaxAttentionSegments));
    const AttentionProblem problem = problemOf(request);
    // The flash kernels take the highest score before they scale.
    const bool isFast = context.valueType != DType::F32 && isAligned(request) && problem.scoreScale > 0.0f;
    if (isFast && problem.headSize <= kMaxFlashHead) return flashSteps(problem, request, context);
    Steps steps;
    if (isFast && WideAttention::computes(problem)) {
        auto wide = WideAttention::create(problem, context.valueType, context);
        if (wide) {
            steps.push_back(std::make_unique<WideStep>(request, context, *std::move(wide)));
            return steps;
        }
        if (wide.error().code != StatusCode::Unsupported) return fail(wide.error());
    }
    steps.push_back(std::make_unique<PlainStep>(request, context));
    return steps;
}

Result<std::unique_ptr<Step>> makeAttentionStep(const StepRequest& request, const CudaContext& context) {
    RB_ASSIGN(Steps steps, attentionSteps(request, context));
    return chooseStep(std::move(steps), problemOf(request), request, context);
}

}  // namespace reelbrush::kernels
