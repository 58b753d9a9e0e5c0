#pragma once

#include <cstddef>
#include <cstdint>

namespace reelbrush::kernels {

/// Keys and values of one head and sample, read in place: token t's key begins at k + t * kStride.
struct AttentionSegment {
    const float *k, *v;
    std::int64_t kStride, vStride;
    std::int64_t tokens;
};

/// Sizes that all vector widths agree on.
struct AttentionTiling {
    AttentionTiling(int headSize, std::int64_t queries, std::int64_t longestSegment);

    int headSize;
    std::int64_t paddedHead;      ///< headSize rounded up to the widest vector
    std::int64_t keysPerTile;     ///< a multiple of the widest panel; packed keys and values stay in the second cache
    std::int64_t queriesPerItem;  ///< queries that share one packing of the keys

    // Floats of each part of a thread's scratch.
    std::int64_t packedQueries() const;
    std::int64_t packedKeys() const { return keysPerTile * headSize; }
    std::int64_t packedValues() const { return keysPerTile * paddedHead; }
    std::int64_t scores() const;
    std::int64_t states() const { return 2 * (queriesPerItem + 16); }
    std::int64_t scratchFloats() const;
};

/// One block of queries of one head and sample against all its keys.
struct AttentionItem {
    const AttentionTiling* tiling;
    const float* q;  ///< query t begins at q + t * qStride
    std::int64_t qStride, queries;
    const AttentionSegment* segments;
    std::size_t segmentCount;
    float* out;  ///< as q
    std::int64_t outStride;
    float scoreScale;  ///< scale * log2(e): scores are kept as powers of two
    float* scratch;    ///< tiling->scratchFloats(), of this thread alone, 64-byte aligned
    bool causal;       ///< query t, counted from the first of its sample, sees the keys up to t
    std::int64_t firstQuery;
};

}  // namespace reelbrush::kernels
