#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/packed_values.cuh"
#include "kernels/cuda/resample_cuda.h"

#include <variant>

namespace reelbrush::kernels {

namespace {

/// Of an image in packed values.
struct Extent {
    std::int64_t height, width, channels;
};

template <typename Values>
__global__ void upsample(const Values* x, Values* y, std::int64_t items, Extent in, Extent out) {
    const std::int64_t item = threadIndex();
    if (item >= items) return;
    const std::int64_t c = item % out.channels, column = item / out.channels % out.width;
    const std::int64_t row = item / out.channels / out.width % out.height;
    const std::int64_t n = item / out.channels / out.width / out.height;
    y[item] =
        x[((n * in.height + row * in.height / out.height) * in.width + column * in.width / out.width) * in.channels +
          c];
}

/// Between [N,h,w,C*f*f] and [N,h*f,w*f,C]; `deep` is the former's extent. The thread's item is of the deep image.
template <typename T, bool isShuffle>
__global__ void shuffle(const T* x, T* y, std::int64_t items, Extent deep, int factor) {
    const std::int64_t item = threadIndex();
    if (item >= items) return;
    const std::int64_t channel = item % deep.channels, column = item / deep.channels % deep.width;
    const std::int64_t row = item / deep.channels / deep.width;  // of all samples
    const std::int64_t dx = channel % factor, dy = channel / factor % factor, c = channel / factor / factor;
    const std::int64_t channels = deep.channels / factor / factor;
    const std::int64_t flat = ((row * factor + dy) * deep.width * factor + column * factor + dx) * channels + c;
    if constexpr (isShuffle)
        y[flat] = x[item];
    else
        y[item] = x[flat];
}

Extent extentOf(const Shape& shape, std::int64_t width = 1) {
    return {shape[1], shape[2], shape[3] / width};
}

class ResampleStep final : public CudaStep {
  public:
    ResampleStep(const StepRequest& request, const CudaContext& context)
        : CudaStep(context), op_(request.node.op), in_(request.inputs[0]), out_(request.output) {}

    Status run() override {
        if (std::holds_alternative<UpsampleNearest>(op_))
            withPacking(
                context().valueType,
                [&](auto element, auto width) {
                    using Values = Packed<decltype(element), decltype(width)::value>;
                    constexpr int kWidth = decltype(width)::value;
                    const std::int64_t items = out_.elements() / kWidth;
                    upsample<<<blocksFor(items), kThreads, 0, stream()>>>(
                        input<Values>(0), output<Values>(), items, extentOf(in_, kWidth), extentOf(out_, kWidth));
                },
                out_[3]);
        else
            withElement(context().valueType, [&](auto element) { queueShuffle<decltype(element)>(); });
        return launchStatus("resampling");
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    template <typename T>
    void queueShuffle() const {
        const std::int64_t items = out_.elements();
        const unsigned blocks = blocksFor(items);
        if (const auto* op = std::get_if<PixelShuffle>(&op_))
            shuffle<T, true>
                <<<blocks, kThreads, 0, stream()>>>(input<T>(0), output<T>(), items, extentOf(in_), op->factor);
        if (const auto* op = std::get_if<PixelUnshuffle>(&op_))
            shuffle<T, false>
                <<<blocks, kThreads, 0, stream()>>>(input<T>(0), output<T>(), items, extentOf(out_), op->factor);
    }

    Op op_;
    Shape in_, out_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeResampleStep(const StepRequest& request, const CudaContext& context) {
    return std::make_unique<ResampleStep>(request, context);
}

}  // namespace reelbrush::kernels
