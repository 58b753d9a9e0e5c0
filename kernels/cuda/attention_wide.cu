#include "kernels/cuda/attention_wide.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/element_type.h"
#include "kernels/cuda/tensor_core.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace reelbrush::kernels {

namespace {

/// Scores and weights that are in memory at a time; a few of them fit into the second-level cache of large cards.
constexpr std::int64_t kMostTileBytes = std::int64_t{32} << 20;
constexpr std::int64_t kRowsAlign = 64;
constexpr int kThreads = 256, kWarps = kThreads / 32;
/// Weights sum up to this, so that in F16 those of thousands of equal keys are no denormal numbers.
constexpr float kWeightSum = 1024.0f;

/// Highest score so far, and the sum of the exponentials relative to it.
struct RunningSum {
    float top = -1e30f, total = 0.0f;

    __device__ void add(const RunningSum& other) {
        const float newTop = fmaxf(top, other.top);
        total = total * powerOfTwo(top - newTop) + other.total * powerOfTwo(other.top - newTop);
        top = newTop;
    }
};

__device__ RunningSum sumOfBlock(RunningSum sum) {
    __shared__ float tops[kWarps], totals[kWarps];
    for (int step = 16; step > 0; step /= 2)
        sum.add({__shfl_xor_sync(0xffffffffu, sum.top, step), __shfl_xor_sync(0xffffffffu, sum.total, step)});
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = sum.top;
        totals[threadIdx.x / 32] = sum.total;
    }
    __syncthreads();
    RunningSum all{tops[0], totals[0]};
    for (int warp = 1; warp < kWarps; ++warp) all.add({tops[warp], totals[warp]});
    return all;
}

/// weights [rows,keys] = kWeightSum * softmax(scores [rows,keys]), a block for each row. stride: of both, a multiple
/// of 8.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    weighRows(const float* scores, T* weights, int keys, std::int64_t stride, float scale) {
    const float* from = scores + blockIdx.x * stride;
    T* to = weights + blockIdx.x * stride;
    RunningSum sum;
    for (int key = static_cast<int>(threadIdx.x) * 4; key < keys; key += kThreads * 4) {
        const float4 loaded = *reinterpret_cast<const float4*>(from + key);
        const float four[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
        float top = sum.top;
        for (int i = 0; i < 4; ++i)
            if (key + i < keys) top = fmaxf(top, four[i] * scale);
        sum.total *= powerOfTwo(sum.top - top);
        for (int i = 0; i < 4; ++i)
            if (key + i < keys) sum.total += powerOfTwo(fmaf(four[i], scale, -top));
        sum.top = top;
    }
    sum = sumOfBlock(sum);
    const float factor = kWeightSum / sum.total;
    for (int key = static_cast<int>(threadIdx.x) * 4; key < keys; key += kThreads * 4) {
        const float4 loaded = *reinterpret_cast<const float4*>(from + key);
        const float four[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
        // Behind the last key is room up to the stride; zeros there, whatever the scores hold.
        float weight[4];
        for (int i = 0; i < 4; ++i)
            weight[i] = key + i < keys ? powerOfTwo(fmaf(four[i], scale, -sum.top)) * factor : 0.0f;
        *reinterpret_cast<uint2*>(to + key) =
            make_uint2(packPair<T>(weight[0], weight[1]), packPair<T>(weight[2], weight[3]));
    }
}

const std::byte* at(const void* base, std::int64_t elements) {
    return static_cast<const std::byte*>(base) + elements * 2;
}

}  // namespace

bool WideAttention::computes(const AttentionProblem& problem) {
    return problem.segmentCount == 1 && !problem.causal;
}

Result<WideAttention::Products> WideAttention::productsOf(const AttentionProblem& problem, std::int64_t rows) const {
    const AttentionSegment& segment = problem.segments[0];
    AttentionProductShape scores;
    scores.rows = rows;
    scores.inputs = problem.headSize;
    scores.outputs = segment.tokens;
    scores.xStride = problem.qRowStride;
    scores.mStride = segment.kRowStride;
    scores.yStride = keyStride_;
    scores.isTransposed = true;
    scores.type = type_;
    AttentionProductShape values;
    values.rows = rows;
    values.inputs = segment.tokens;
    values.outputs = problem.headSize;
    values.xStride = keyStride_;
    values.mStride = segment.vRowStride;
    values.yStride = std::int64_t{problem.heads} * problem.headSize;
    values.type = values.resultType = type_;
    values.factor = 1.0f / kWeightSum;
    Products products;
    RB_ASSIGN(products.scores, AttentionProduct::create(scores, context_));
    RB_ASSIGN(products.values, AttentionProduct::create(values, context_));
    return products;
}

Result<std::unique_ptr<WideAttention>> WideAttention::create(const AttentionProblem& problem, DType type,
                                                             const CudaContext& context) {
    std::unique_ptr<WideAttention> wide(new WideAttention(type, context));
    const auto roundedUp = [](std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; };
    constexpr std::int64_t kBytesOfPair = sizeof(float) + 2;  // a score and a weight
    wide->keyStride_ = roundedUp(problem.segments[0].tokens, 8);
    const std::int64_t most =
        std::max(kMostTileBytes / (wide->keyStride_ * kBytesOfPair) / kRowsAlign, std::int64_t{1}) * kRowsAlign;
    const std::int64_t tiles = (problem.queries + most - 1) / most;
    wide->rows_ = std::min<std::int64_t>(roundedUp((problem.queries + tiles - 1) / tiles, kRowsAlign), problem.queries);

    RB_ASSIGN(wide->full_, wide->productsOf(problem, wide->rows_));
    std::size_t workspaceBytes = 0;
    if (problem.queries % wide->rows_ != 0) {
        RB_ASSIGN(wide->rest_, wide->productsOf(problem, problem.queries % wide->rows_));
        workspaceBytes = std::max(wide->rest_.scores->workspaceBytes(), wide->rest_.values->workspaceBytes());
    }
    workspaceBytes =
        std::max({workspaceBytes, wide->full_.scores->workspaceBytes(), wide->full_.values->workspaceBytes()});
    const auto pairs = static_cast<std::size_t>(wide->rows_ * wide->keyStride_);
    wide->scoresAt_ = wide->scratch_.add(pairs * sizeof(float));
    wide->weightsAt_ = wide->scratch_.add(pairs * 2);
    wide->workspaceAt_ = wide->scratch_.add(workspaceBytes);
    return wide;
}

Status WideAttention::run(const AttentionProblem& problem, std::byte* scratch) const {
    std::byte* base = ScratchLayout::base(scratch);
    const std::int64_t tiles = (problem.queries + rows_ - 1) / rows_;
    const std::int64_t items = tiles * problem.heads * problem.batch;
    for (std::int64_t item = 0; item < items; ++item) RB_TRY(runRows(problem, item, base));
    return {};
}

Status WideAttention::runRows(const AttentionProblem& problem, std::int64_t item, std::byte* base) const {
    const std::int64_t tiles = (problem.queries + rows_ - 1) / rows_;
    const std::int64_t firstRow = item % tiles * rows_, head = item / tiles % problem.heads;
    const std::int64_t sample = item / tiles / problem.heads;
    const std::int64_t rows = std::min(rows_, problem.queries - firstRow);
    const Products& products = rows == rows_ ? full_ : rest_;

    const AttentionSegment& segment = problem.segments[0];
    const std::int64_t channel = head * problem.headSize;
    const void* q = at(problem.q, sample * problem.qBatchStride + firstRow * problem.qRowStride + channel);
    const void* k = at(segment.k, sample * segment.kBatchStride + channel);
    const void* v = at(segment.v, sample * segment.vBatchStride + channel);
    const std::int64_t outputRow = sample * problem.queries + firstRow;
    void* output =
        static_cast<std::byte*>(problem.output) + (outputRow * problem.heads * problem.headSize + channel) * 2;

    auto* scores = reinterpret_cast<float*>(base + scoresAt_);
    RB_TRY(products.scores->run(q, k, scores, base + workspaceAt_));
    const auto weigh = [&](auto element) {
        using T = decltype(element);
        auto* weights = reinterpret_cast<T*>(base + weightsAt_);
        weighRows<T><<<static_cast<unsigned>(rows), kThreads, 0, context_.stream>>>(scores, weights, segment.tokens,
                                                                                    keyStride_, problem.scoreScale);
    };
    if (type_ == DType::F16)
        weigh(__half{});
    else
        weigh(__nv_bfloat16{});
    RB_TRY(launchStatus("an attention's weights"));
    return products.values->run(base + weightsAt_, v, output, base + workspaceAt_);
}

}  // namespace reelbrush::kernels
