#include "kernels/cuda/activation_math.cuh"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/group_norm_call.cuh"
#include "kernels/cuda/group_norm_cuda.h"
#include "kernels/cuda/group_norm_whole.h"
#include "kernels/cuda/packed_values.cuh"
#include "kernels/cuda/uploaded_floats.h"

#include <algorithm>
#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr std::int64_t kLeastPartValues = 8192;  // of a part of the image, so that each block has work
constexpr int kMostParts = 1024;
constexpr int kBlocksPerProcessor = 8;  // enough loads on their way to fill the memory's bandwidth

// Blocks are row threads x pixel threads: a thread looks after the packed channels threadIdx.x, threadIdx.x +
// blockDim.x ... of every blockDim.y-th pixel of the block's part.
struct PixelRange {
    std::int64_t first, end;
};
__device__ PixelRange partOf(const NormCall& call) {
    const std::int64_t each = (call.pixels + gridDim.x - 1) / gridDim.x;
    const std::int64_t first = each * blockIdx.x;
    return {first, min(first + each, call.pixels)};
}

/// A value of the group itself, so that sums of squares of values far from zero lose nothing.
template <typename T>
__device__ float shiftOf(const NormCall& call, int group) {
    const int channel = group * call.groupChannels();
    const T first = static_cast<const T*>(call.x)[std::int64_t{blockIdx.y} * call.pixels * call.channels + channel];
    return toFloat(first) + addedAt<T>(call, channel);
}

__device__ int threadOfBlock() {
    return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
}
__device__ int threadsOfBlock() {
    return static_cast<int>(blockDim.x * blockDim.y);
}

/// shared [pixelThreads, channels, 2] → the part's sums of each group.
__device__ void sumGroups(const NormCall& call, float* shared) {
    const int values = 2 * call.channels;
    for (int i = threadOfBlock(); i < values; i += threadsOfBlock())
        for (int y = 1; y < static_cast<int>(blockDim.y); ++y) shared[i] += shared[std::int64_t{y} * values + i];
    __syncthreads();
    for (int item = threadOfBlock(); item < 2 * call.groups; item += threadsOfBlock()) {
        const int group = item / 2, which = item % 2;
        float sum = 0.0f;
        for (int c = 0; c < call.groupChannels(); ++c) sum += shared[(group * call.groupChannels() + c) * 2 + which];
        call.sums[((std::int64_t{blockIdx.y} * call.parts + blockIdx.x) * call.groups + group) * 2 + which] = sum;
    }
}

/// The block that ends last adds up what all have, in the order of the parts, whichever it is.
template <typename T>
__device__ void finishStatistics(const NormCall& call) {
    __shared__ bool isLast;
    __threadfence();
    __syncthreads();
    if (threadOfBlock() == 0) {
        const auto last = static_cast<unsigned>(call.parts - 1);
        isLast = atomicInc(call.finished + blockIdx.y, last) == last;
    }
    __syncthreads();
    if (!isLast) return;
    __threadfence();
    const int warps = threadsOfBlock() / 32, lane = threadOfBlock() % 32;
    if (threadOfBlock() / 32 >= warps) return;
    for (int group = threadOfBlock() / 32; group < call.groups; group += warps) {
        float sum = 0.0f, squares = 0.0f;
#pragma unroll 4
        for (int part = lane; part < call.parts; part += 32) {
            const float2 own = __ldcg(reinterpret_cast<const float2*>(call.sums) +
                                      (std::int64_t{blockIdx.y} * call.parts + part) * call.groups + group);
            sum += own.x;
            squares += own.y;
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, distance);
            squares += __shfl_xor_sync(0xffffffffu, squares, distance);
        }
        if (lane != 0) continue;
        const float count = static_cast<float>(call.pixels) * static_cast<float>(call.groupChannels());
        const float shifted = sum / count;
        float* own = call.statistics + (std::int64_t{blockIdx.y} * call.groups + group) * 2;
        own[0] = shifted + shiftOf<T>(call, group);
        own[1] = rsqrtf(fmaxf(squares / count - shifted * shifted, 0.0f) + call.epsilon);
    }
}

template <typename T, int kWidth>
__global__ void sumParts(NormCall call) {
    using Values = Packed<T, kWidth>;
    extern __shared__ float shared[];  // [pixelThreads, channels, 2]
    const auto range = partOf(call);
    const int columns = call.channels / kWidth;
    const T* sample = static_cast<const T*>(call.x) + std::int64_t{blockIdx.y} * call.pixels * call.channels;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        float sums[kWidth] = {}, squares[kWidth] = {}, shifts[kWidth];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            const int channel = column * kWidth + i;
            shifts[i] = addedAt<T>(call, channel) - shiftOf<T>(call, channel / call.groupChannels());
        }
        for (std::int64_t pixel = range.first + threadIdx.y; pixel < range.end; pixel += blockDim.y) {
            const Values values = *reinterpret_cast<const Values*>(sample + pixel * call.channels + column * kWidth);
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                const float value = toFloat(values.values[i]) + shifts[i];
                sums[i] += value;
                squares[i] += value * value;
            }
        }
        float* own = shared + (std::int64_t{threadIdx.y} * call.channels + column * kWidth) * 2;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            own[2 * i] = sums[i];
            own[2 * i + 1] = squares[i];
        }
    }
    __syncthreads();
    sumGroups(call, shared);
    finishStatistics<T>(call);
}

__device__ void statisticsOf(const NormCall& call, int group, float& mean, float& inverse) {
    if (call.given) {
        const float* given = call.given + std::int64_t{blockIdx.y} * 2 * call.groups;
        mean = given[group];
        inverse = rsqrtf(given[call.groups + group] + call.epsilon);
        return;
    }
    const float* own = call.statistics + (std::int64_t{blockIdx.y} * call.groups + group) * 2;
    mean = own[0];
    inverse = own[1];
}

template <typename T, int kWidth, Activation kind>
__global__ void normalise(NormCall call) {
    using Values = Packed<T, kWidth>;
    const auto range = partOf(call);
    const int columns = call.channels / kWidth;
    const std::int64_t sample = std::int64_t{blockIdx.y} * call.pixels * call.channels;
    const T* from = static_cast<const T*>(call.x) + sample;
    T* to = static_cast<T*>(call.y) + sample;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        float scales[kWidth], offsets[kWidth];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            const int channel = column * kWidth + i;
            float mean, inverse;
            statisticsOf(call, channel / call.groupChannels(), mean, inverse);
            scales[i] = inverse * call.gamma[channel];
            offsets[i] = (addedAt<T>(call, channel) - mean) * scales[i] + call.beta[channel];
        }
        for (std::int64_t pixel = range.first + threadIdx.y; pixel < range.end; pixel += blockDim.y) {
            const std::int64_t at = pixel * call.channels + column * kWidth;
            Values values = *reinterpret_cast<const Values*>(from + at);
#pragma unroll
            for (int i = 0; i < kWidth; ++i)
                values.values[i] = fromFloat<T>(activate<kind>(toFloat(values.values[i]) * scales[i] + offsets[i]));
            *reinterpret_cast<Values*>(to + at) = values;
        }
    }
}

class GroupNormStep final : public CudaStep {
  public:
    GroupNormStep(const StepRequest& request, const CudaContext& context, UploadedFloats weights,
                  std::unique_ptr<CudaMemory> finished)
        : CudaStep(context),
          op_(std::get<GroupNorm>(request.node.op)),
          weights_(std::move(weights)),
          finished_(std::move(finished)) {
        const Shape& shape = request.output;
        batch_ = shape.batch();
        channels_ = static_cast<int>(shape.channels());
        pixels_ = shape.elements() / batch_ / channels_;
        sharesAdd_ = op_.hasChannelAdd && request.inputs[1].batch() == 1;
        const std::int64_t fill =
            std::max<std::int64_t>(1, kBlocksPerProcessor * context.properties.multiProcessorCount / batch_);
        const std::int64_t wanted = pixels_ * channels_ / kLeastPartValues;
        isWhole_ = !op_.hasStatistics &&
                   groupFitsABlock(pixels_ * (channels_ / op_.groups), context.valueType, context.properties);
        parts_ = static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::min<std::int64_t>(fill, kMostParts)));
    }

    std::size_t scratchBytes() const override {
        if (op_.hasStatistics || isWhole_) return 0;
        return static_cast<std::size_t>(batch_ * (parts_ + 1) * op_.groups) * 2 * sizeof(float);
    }
    std::size_t weightBytes() const override { return weights_.sizeBytes(); }
    Status loadWeights(const WeightProvider& weights) override { return weights_.reload(weights); }
    Status run() override {
        const NormCall call = describe();
        if (isWhole_) {
            const WholeGroups groups{context().valueType, op_.activation, batch_,
                                     context().properties.multiProcessorCount};
            return normaliseWholeGroups(call, groups, stream());
        }
        return withPacking(
            context().valueType,
            [&](auto element, auto width) { return launch<decltype(element), decltype(width)::value>(call); },
            channels_);
    }
    std::string algorithm() const override { return isWhole_ ? "cuda whole groups" : "cuda"; }

  private:
    NormCall describe() const {
        NormCall call{};
        call.x = input<void>(0);
        if (op_.hasChannelAdd) call.channelAdd = input<void>(1);
        if (op_.hasStatistics) call.given = input<float>(op_.hasChannelAdd ? 2 : 1);
        call.gamma = weights_.at(0);
        call.beta = weights_.at(1);
        call.statistics = reinterpret_cast<float*>(scratch());
        call.sums = call.statistics + batch_ * op_.groups * 2;
        call.finished = reinterpret_cast<unsigned*>(finished_->data());
        call.y = output<void>();
        call.pixels = pixels_;
        call.channels = channels_;
        call.groups = op_.groups;
        call.parts = parts_;
        call.addStride = sharesAdd_ ? 0 : channels_;
        call.epsilon = op_.epsilon;
        return call;
    }

    template <typename T, int kWidth>
    Status launch(const NormCall& call) const {
        const unsigned columns = static_cast<unsigned>(channels_ / kWidth);
        const unsigned turns = (columns + kThreads - 1) / kThreads;
        const unsigned rowThreads = (columns + turns - 1) / turns;
        // A whole warp at least, since one adds up a group's parts.
        const dim3 block(rowThreads, std::max((32 + rowThreads - 1) / rowThreads, kThreads / rowThreads));
        const auto samples = static_cast<unsigned>(batch_);
        if (!op_.hasStatistics) {
            const std::size_t shared = std::size_t{block.y} * static_cast<std::size_t>(channels_) * 2 * sizeof(float);
            sumParts<T, kWidth><<<dim3(static_cast<unsigned>(parts_), samples), block, shared, stream()>>>(call);
            RB_TRY(launchStatus("the sums of a group norm"));
        }
        withActivation(op_.activation, [&](auto kind) {
            normalise<T, kWidth, decltype(kind)::value>
                <<<dim3(static_cast<unsigned>(parts_), samples), block, 0, stream()>>>(call);
        });
        return launchStatus("a group norm");
    }

    GroupNorm op_;
    UploadedFloats weights_;
    std::unique_ptr<CudaMemory> finished_;  ///< see NormCall
    std::int64_t batch_ = 1, pixels_ = 1;
    int channels_ = 1, parts_ = 1;
    bool sharesAdd_ = false;
    bool isWhole_ = false;  ///< a block holds a group of a sample
};

}  // namespace

Result<std::unique_ptr<Step>> makeGroupNormStep(const StepRequest& request, const CudaContext& context) {
    RB_ASSIGN(UploadedFloats weights, UploadedFloats::load(request, context));
    RB_ASSIGN(auto finished, context.allocate(static_cast<std::size_t>(request.output.batch()) * sizeof(unsigned),
                                              "counters on the GPU"));
    RB_TRY(cudaStatus(cudaMemsetAsync(finished->data(), 0, finished->sizeBytes(), context.stream),
                      "clearing counters on the GPU"));
    return std::make_unique<GroupNormStep>(request, context, std::move(weights), std::move(finished));
}

}  // namespace reelbrush::kernels
