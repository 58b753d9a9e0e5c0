#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/element_type.h"

#include <cmath>
#include <cstdint>

namespace reelbrush::kernels {

namespace {

// 16 x 16 threads hold a tile of 64 queries x 32 keys: each thread 4 queries, and every 16th key or channel.
constexpr int kLanes = 16, kThreads = kLanes * kLanes;
constexpr int kRowsOfThread = 4, kRows = kLanes * kRowsOfThread;
constexpr int kKeys = 2 * kLanes;
constexpr int kSlice = 32;        ///< channels of queries and keys that are in shared memory at a time
constexpr float kNoTop = -1e30f;  ///< below every score, but finite, so that no difference of two is undefined

/// One block: 64 queries of one sample and head, and the output channels [first, first + kChannels * 16). Sums of
/// heads wider than that are spread over blocks, which all compute the scores. kChannels: of a thread.
template <typename T, int kChannels>
class PlainBlock {
  public:
    __device__ explicit PlainBlock(const AttentionProblem& problem)
        : problem_(problem),
          firstChannel_(static_cast<int>(blockIdx.y) * kChannels * kLanes),
          lane_(static_cast<int>(threadIdx.x) % kLanes),
          firstOwnRow_(static_cast<int>(threadIdx.x) / kLanes * kRowsOfThread) {
        const int rowBlocks = (problem.queries + kRows - 1) / kRows, item = static_cast<int>(blockIdx.x);
        firstRow_ = item % rowBlocks * kRows;
        head_ = item / rowBlocks % problem.heads;
        sample_ = item / rowBlocks / problem.heads;
        for (float& top : tops_) top = kNoTop;
    }

    __device__ void attend() {
        for (int i = 0; i < problem_.segmentCount; ++i) {
            const AttentionSegment& segment = problem_.segments[i];
            const int visible = problem_.causal ? min(segment.tokens, firstRow_ + kRows) : segment.tokens;
            for (int firstKey = 0; firstKey < visible; firstKey += kKeys) {
                float scores[kRowsOfThread][2] = {};
                score(segment, firstKey, scores);
                weigh(segment, firstKey, scores);
                addValues(segment, firstKey);
            }
        }
        store();
    }

  private:
    __device__ const T* rowsOf(const void* values, std::int64_t batchStride) const {
        return static_cast<const T*>(values) + sample_ * batchStride + head_ * problem_.headSize;
    }

    __device__ void loadSlice(const T* from, int stride, int rows, int channel, float (*to)[kSlice + 1],
                              int count) const {
        for (int i = static_cast<int>(threadIdx.x); i < count * kSlice; i += kThreads) {
            const int row = i / kSlice, at = channel + i % kSlice;
            const bool isValid = row < rows && at < problem_.headSize;
            to[row][i % kSlice] = isValid ? toFloat(from[std::int64_t{row} * stride + at]) : 0.0f;
        }
    }

    __device__ void score(const AttentionSegment& segment, int firstKey, float (&scores)[kRowsOfThread][2]) const {
        __shared__ float queries[kRows][kSlice + 1], keys[kKeys][kSlice + 1];
        const T* q = rowsOf(problem_.q, problem_.qBatchStride) + std::int64_t{firstRow_} * problem_.qRowStride;
        const T* k = rowsOf(segment.k, segment.kBatchStride) + std::int64_t{firstKey} * segment.kRowStride;
        for (int channel = 0; channel < problem_.headSize; channel += kSlice) {
            __syncthreads();
            loadSlice(q, problem_.qRowStride, problem_.queries - firstRow_, channel, queries, kRows);
            loadSlice(k, segment.kRowStride, segment.tokens - firstKey, channel, keys, kKeys);
            __syncthreads();
#pragma unroll 8
            for (int c = 0; c < kSlice; ++c) {
                const float first = keys[lane_][c], second = keys[lane_ + kLanes][c];
#pragma unroll
                for (int r = 0; r < kRowsOfThread; ++r) {
                    const float query = queries[firstOwnRow_ + r][c];
                    scores[r][0] = fmaf(query, first, scores[r][0]);
                    scores[r][1] = fmaf(query, second, scores[r][1]);
                }
            }
        }
    }

    /// Scores become weights in shared memory. The 16 threads of a row are half a warp.
    __device__ void weigh(const AttentionSegment& segment, int firstKey, float (&scores)[kRowsOfThread][2]) {
#pragma unroll
        for (int r = 0; r < kRowsOfThread; ++r) {
            float highest = kNoTop;
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int key = firstKey + lane_ + i * kLanes;
                const bool isHidden = problem_.causal && key > firstRow_ + firstOwnRow_ + r;
                scores[r][i] = key < segment.tokens && !isHidden ? scores[r][i] * problem_.scoreScale : -INFINITY;
                highest = fmaxf(highest, scores[r][i]);
            }
            for (int step = kLanes / 2; step > 0; step /= 2)
                highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, step));
            const float top = fmaxf(tops_[r], highest), factor = exp2f(tops_[r] - top);
            tops_[r] = top;
            totals_[r] *= factor;
#pragma unroll
            for (int c = 0; c < kChannels; ++c) sums_[r][c] *= factor;
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const float weight = exp2f(scores[r][i] - top);
                totals_[r] += weight;
                weights()[firstOwnRow_ + r][lane_ + i * kLanes] = weight;
            }
        }
        __syncwarp();
    }

    __device__ void addValues(const AttentionSegment& segment, int firstKey) {
        const T* v = rowsOf(segment.v, segment.vBatchStride) + std::int64_t{firstKey} * segment.vRowStride +
                     firstChannel_ + lane_;
        const int keys = min(kKeys, segment.tokens - firstKey);
        for (int key = 0; key < keys; ++key) {
            float own[kRowsOfThread];
#pragma unroll
            for (int r = 0; r < kRowsOfThread; ++r) own[r] = weights()[firstOwnRow_ + r][key];
            const T* row = v + std::int64_t{key} * segment.vRowStride;
#pragma unroll
            for (int c = 0; c < kChannels; ++c) {
                if (firstChannel_ + lane_ + c * kLanes >= problem_.headSize) break;
                const float value = toFloat(row[c * kLanes]);
#pragma unroll
                for (int r = 0; r < kRowsOfThread; ++r) sums_[r][c] = fmaf(own[r], value, sums_[r][c]);
            }
        }
        // A warp's rows are its own, but its lanes must be done reading before the next tile is written.
        __syncwarp();
    }

    __device__ void store() {
        const std::int64_t stride = std::int64_t{problem_.heads} * problem_.headSize;
        T* output = static_cast<T*>(problem_.output) + std::int64_t{sample_} * problem_.queries * stride +
                    head_ * problem_.headSize + firstChannel_ + lane_;
#pragma unroll
        for (int r = 0; r < kRowsOfThread; ++r) {
            float total = totals_[r];
            for (int step = kLanes / 2; step > 0; step /= 2) total += __shfl_xor_sync(0xffffffffu, total, step);
            const int row = firstRow_ + firstOwnRow_ + r;
            if (row >= problem_.queries) continue;
#pragma unroll
            for (int c = 0; c < kChannels; ++c)
                if (firstChannel_ + lane_ + c * kLanes < problem_.headSize)
                    output[row * stride + c * kLanes] = fromFloat<T>(sums_[r][c] / total);
        }
    }

    __device__ static auto weights() -> float (*)[kKeys + 1] {
        __shared__ float shared[kRows][kKeys + 1];
        return shared;
    }

    const AttentionProblem& problem_;
    int firstChannel_, lane_, firstOwnRow_;
    int firstRow_, head_, sample_;
    float sums_[kRowsOfThread][kChannels] = {};
    float tops_[kRowsOfThread];
    float totals_[kRowsOfThread] = {};
};

template <typename T, int kChannels>
__global__ void __launch_bounds__(kThreads) attendPlainly(const __grid_constant__ AttentionProblem problem) {
    PlainBlock<T, kChannels>(problem).attend();
}

template <typename T, int kChannels>
void launch(const AttentionProblem& problem, cudaStream_t stream) {
    constexpr int kBlockChannels = kChannels * kLanes;
    const dim3 blocks(static_cast<unsigned>((problem.queries + kRows - 1) / kRows * problem.heads * problem.batch),
                      static_cast<unsigned>((problem.headSize + kBlockChannels - 1) / kBlockChannels));
    attendPlainly<T, kChannels><<<blocks, kThreads, 0, stream>>>(problem);
}

}  // namespace

Status plainAttention(const AttentionProblem& problem, DType type, cudaStream_t stream) {
    withElement(type, [&](auto element) {
        using T = decltype(element);
        if (problem.headSize <= 4 * kLanes)
            launch<T, 4>(problem, stream);
        else if (problem.headSize <= 10 * kLanes)
            launch<T, 10>(problem, stream);
        else
            launch<T, 32>(problem, stream);
    });
    return launchStatus("an attention");
}

}  // namespace reelbrush::kernels
