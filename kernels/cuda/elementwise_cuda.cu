#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/elementwise_cuda.h"
#include "kernels/cuda/packed_values.cuh"

#include <variant>

namespace reelbrush::kernels {

namespace {

// What each op makes of one value; `other` is the second operand's, 0 where there is none.
struct Plus {
    __device__ float operator()(float x, float other) const { return x + other; }
};
struct Scaled {
    Affine op;
    __device__ float operator()(float x, float) const {
        return fminf(fmaxf(x * op.scale + op.offset, op.low), op.high);
    }
};
struct TimesFactor {
    const float* factor;  ///< on the device: it may change from run to run
    __device__ float operator()(float x, float) const { return x * *factor; }
};
struct Softened {
    float limit;
    __device__ float operator()(float x, float) const { return limit * tanhf(x / limit); }
};

/// Where the second operand of item i lies: i / outer * period + i % period, in packed values.
struct Second {
    const void* values = nullptr;
    std::int64_t outer = 1;   ///< items that share one stretch of the operand; 0: all share the only one
    std::int64_t period = 1;  ///< length of a stretch
};

template <typename T, int kWidth, typename Function>
__global__ void mapAll(const T* x, Second second, T* y, std::int64_t items, Function function) {
    using Values = Packed<T, kWidth>;
    const std::int64_t item = threadIndex();
    if (item >= items) return;
    Values values = reinterpret_cast<const Values*>(x)[item];
    Values others{};
    if (second.values) {
        const std::int64_t stretch = second.outer > 0 ? item / second.outer : 0;
        others = static_cast<const Values*>(second.values)[stretch * second.period + item % second.period];
    }
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
        values.values[i] =
            fromFloat<T>(function(toFloat(values.values[i]), second.values ? toFloat(others.values[i]) : 0.0f));
    reinterpret_cast<Values*>(y)[item] = values;
}

class ElementwiseStep final : public CudaStep {
  public:
    ElementwiseStep(const StepRequest& request, const CudaContext& context)
        : CudaStep(context), op_(request.node.op), count_(request.output.elements()) {
        if (std::holds_alternative<Add>(op_)) {
            period_ = request.inputs[1].elements();
            divisor_ = period_;
        } else if (std::holds_alternative<AddChannels>(op_)) {
            period_ = request.output.channels();
            divisor_ = period_;
            if (request.inputs[1].batch() > 1) outer_ = count_ / request.output.batch();
        }
    }

    Status run() override {
        if (std::holds_alternative<Affine>(op_)) return map(Scaled{std::get<Affine>(op_)});
        if (const auto* scale = std::get_if<ScaleBy>(&op_)) return map(TimesFactor{input<float>(1) + scale->index});
        if (const auto* clamp = std::get_if<SoftClamp>(&op_)) return map(Softened{clamp->limit});
        return map(Plus{});
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    template <typename Function>
    Status map(Function function) const {
        withPacking(
            context().valueType,
            [&](auto element, auto width) {
                using T = decltype(element);
                constexpr int kWidth = decltype(width)::value;
                Second second;
                if (period_ > 0) second = {input<T>(1), outer_ / kWidth, period_ / kWidth};
                const std::int64_t items = count_ / kWidth;
                mapAll<T, kWidth>
                    <<<blocksFor(items), kThreads, 0, stream()>>>(input<T>(0), second, output<T>(), items, function);
            },
            count_, divisor_);
        return launchStatus("an elementwise op");
    }

    Op op_;
    std::int64_t count_;
    std::int64_t period_ = 0;   ///< of the second operand; 0: there is none
    std::int64_t outer_ = 0;    ///< see Second
    std::int64_t divisor_ = 0;  ///< what packed values must divide beside the count
};

}  // namespace

Result<std::unique_ptr<Step>> makeElementwiseStep(const StepRequest& request, const CudaContext& context) {
    return std::make_unique<ElementwiseStep>(request, context);
}

}  // namespace reelbrush::kernels
