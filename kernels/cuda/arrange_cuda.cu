#include "kernels/cuda/arrange_cuda.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/packed_values.cuh"

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

namespace reelbrush::kernels {

namespace {

constexpr int kMostSources = 8;  // of one launch

/// One stretch of every output row. All in packed values.
struct Source {
    const void* values = nullptr;
    std::int64_t length = 0;        ///< of the stretch
    std::int64_t stride = 0;        ///< from row to row; 0: all rows read the same
    std::int64_t sampleStride = 0;  ///< from sample to sample; 0: all samples read the same
};

struct JoinCall {
    Source sources[kMostSources];
    int count = 0;
    void* y = nullptr;
    std::int64_t rows = 0, width = 0;    ///< of the stretches of this launch; rows of one sample, blockIdx.y
    std::int64_t offset = 0, pitch = 0;  ///< of an output row
};

template <typename Values>
__global__ void join(JoinCall call) {
    const std::int64_t item = threadIndex();
    if (item >= call.rows * call.width) return;
    const std::int64_t row = item / call.width;
    const std::int64_t column = item % call.width;
    std::int64_t within = column;
    int source = 0;
    while (within >= call.sources[source].length) within -= call.sources[source++].length;
    const Source& from = call.sources[source];
    const std::int64_t sample = blockIdx.y;
    static_cast<Values*>(call.y)[(sample * call.rows + row) * call.pitch + call.offset + column] =
        static_cast<const Values*>(from.values)[sample * from.sampleStride + row * from.stride + within];
}

/// In elements.
struct Stretch {
    std::int64_t length = 0, stride = 0, first = 0, sampleStride = 0;
};

class JoinStep final : public CudaStep {
  public:
    JoinStep(const StepRequest& request, const CudaContext& context) : CudaStep(context) {
        const Shape& out = request.output;
        const Op& op = request.node.op;
        if (const auto* repeat = std::get_if<RepeatBatch>(&op)) {
            rows_ = repeat->times;
            stretches_.push_back({out.elements() / rows_, 0, 0});
        } else if (const auto* slice = std::get_if<SliceBatch>(&op)) {
            const std::int64_t member = out.elements() / out.batch();
            stretches_.push_back({out.elements(), 0, slice->first * member});
        } else if (std::holds_alternative<ConcatBatch>(op)) {
            for (const Shape& shape : request.inputs) stretches_.push_back({shape.elements(), 0, 0});
        } else if (std::holds_alternative<ConcatTokens>(op)) {
            rows_ = out.batch();
            for (const Shape& shape : request.inputs) {
                const std::int64_t length = shape.elements() / shape.batch();
                stretches_.push_back({length, shape.batch() == 1 ? 0 : length, 0});
            }
        } else {
            addChannels(request);
        }
        for (const Stretch& stretch : stretches_) pitch_ += stretch.length;
    }

    Status run() override {
        std::int64_t offset = 0;
        for (std::size_t first = 0; first < stretches_.size(); first += kMostSources)
            RB_TRY(launch(first, std::min(stretches_.size(), first + kMostSources), offset));
        return {};
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    /// Pixel by pixel; where an input has one sample for a batch of several, by samples of pixels.
    void addChannels(const StepRequest& request) {
        const Shape& out = request.output;
        rows_ = out.rows();
        samples_ = 1;
        for (const Shape& shape : request.inputs)
            if (shape.batch() != out.batch()) samples_ = out.batch();
        rows_ /= samples_;
        for (const Shape& shape : request.inputs)
            stretches_.push_back(
                {shape.channels(), shape.channels(), 0, shape.batch() == 1 ? 0 : rows_ * shape.channels()});
    }

    Status launch(std::size_t first, std::size_t end, std::int64_t& offset) const {
        std::int64_t width = 0;
        bool isWide = pitch_ % wide() == 0 && offset % wide() == 0;
        for (std::size_t i = first; i < end; ++i) {
            width += stretches_[i].length;
            isWide = isWide && stretches_[i].length % wide() == 0 && stretches_[i].first % wide() == 0;
        }
        withElement(context().valueType, [&](auto element) {
            using T = decltype(element);
            constexpr int kWide = 16 / static_cast<int>(sizeof(T));
            if (isWide)
                queue<T, kWide>(first, end, offset, width);
            else
                queue<T, 1>(first, end, offset, width);
        });
        offset += width;
        return launchStatus("joining values");
    }

    template <typename T, int kWidth>
    void queue(std::size_t first, std::size_t end, std::int64_t offset, std::int64_t width) const {
        JoinCall call;
        call.count = static_cast<int>(end - first);
        for (std::size_t i = first; i < end; ++i) {
            const Stretch& stretch = stretches_[i];
            call.sources[i - first] = {input<T>(i) + stretch.first, stretch.length / kWidth, stretch.stride / kWidth,
                                       stretch.sampleStride / kWidth};
        }
        call.y = output<T>();
        call.rows = rows_;
        call.width = width / kWidth;
        call.offset = offset / kWidth;
        call.pitch = pitch_ / kWidth;
        const dim3 blocks(blocksFor(call.rows * call.width), static_cast<unsigned>(samples_));
        join<Packed<T, kWidth>><<<blocks, kThreads, 0, stream()>>>(call);
    }

    std::int64_t wide() const { return 16 / static_cast<std::int64_t>(sizeOf(context().valueType)); }

    std::int64_t rows_ = 1, pitch_ = 0;  ///< rows of one sample
    std::int64_t samples_ = 1;           ///< 1 where every row finds its own by its stride
    std::vector<Stretch> stretches_;
};

template <typename Values>
__global__ void swapAxes(const Values* x, Values* y, std::int64_t items, std::int64_t b, std::int64_t c,
                         std::int64_t d) {
    const std::int64_t item = threadIndex();
    if (item >= items) return;
    // y is [A,C,B,D]
    const std::int64_t inD = item % d, inB = item / d % b, inC = item / d / b % c, inA = item / d / b / c;
    y[item] = x[((inA * b + inB) * c + inC) * d + inD];
}

class SwapAxesStep final : public CudaStep {
  public:
    SwapAxesStep(const StepRequest& request, const CudaContext& context) : CudaStep(context), in_(request.inputs[0]) {}

    Status run() override {
        withPacking(
            context().valueType,
            [&](auto element, auto width) {
                using T = decltype(element);
                using Values = Packed<T, decltype(width)::value>;
                const std::int64_t items = in_.elements() / decltype(width)::value;
                swapAxes<<<blocksFor(items), kThreads, 0, stream()>>>(input<Values>(0), output<Values>(), items, in_[1],
                                                                      in_[2], in_[3] / decltype(width)::value);
            },
            in_[3]);
        return launchStatus("exchanging axes");
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    Shape in_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeJoinStep(const StepRequest& request, const CudaContext& context) {
    return std::make_unique<JoinStep>(request, context);
}

Result<std::unique_ptr<Step>> makeSwapAxesStep(const StepRequest& request, const CudaContext& context) {
    return std::make_unique<SwapAxesStep>(request, context);
}

}  // namespace reelbrush::kernels
