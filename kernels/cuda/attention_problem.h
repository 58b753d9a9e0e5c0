#pragma once

#include <cstdint>

namespace reelbrush::kernels {

constexpr int kMaxAttentionSegments = 16;

/// Keys and values of one segment. Addresses are of the first channel used; strides count elements; a batch stride of
/// 0 stands for one sample that all share.
struct AttentionSegment {
    const void* k = nullptr;
    const void* v = nullptr;
    std::int64_t kBatchStride = 0, vBatchStride = 0;
    int kRowStride = 0, vRowStride = 0;
    int tokens = 0;
};

/// What the kernels of attention get, by value.
struct AttentionProblem {
    const void* q = nullptr;
    void* output = nullptr;  ///< [batch, queries, heads * headSize]
    std::int64_t qBatchStride = 0;
    int qRowStride = 0;
    int batch = 0, queries = 0, heads = 0, headSize = 0;
    float scoreScale = 0.0f;  ///< scale * log2(e): the exponentials are powers of two
    bool causal = false;
    int segmentCount = 0;
    AttentionSegment segments[kMaxAttentionSegments];
};

}  // namespace reelbrush::kernels
