// The micro-kernels of attention: packing, scores, softmax, weighted sums. Compiled once per target.
// Names: R queries (rows) and N vectors are held in registers; `lanes` is the width of a vector in floats.

#if defined(REELBRUSH_KERNELS_CPU_ATTENTION_KERNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef REELBRUSH_KERNELS_CPU_ATTENTION_KERNELS_INL_H
#undef REELBRUSH_KERNELS_CPU_ATTENTION_KERNELS_INL_H
#else
#define REELBRUSH_KERNELS_CPU_ATTENTION_KERNELS_INL_H
#endif

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/vector_math-inl.h"
#include "kernels/cpu/vector_tail-inl.h"

#include <algorithm>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

// As many sums as registers hold beside the operands: 24 of 32, or 12 of 16.
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
constexpr std::size_t kRows = 6, kVectors = 2;
#else
constexpr std::size_t kRows = 8, kVectors = 3;
#endif

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;

/// Transposes 4x4: `from` 4 rows `fromStride` apart, `to` 4 rows `toStride` apart, every value times factor.
HWY_INLINE void transpose4(const float* from, std::int64_t fromStride, float factor, float* to, std::int64_t toStride) {
    const hn::FixedTag<float, 4> d;
    const hn::RepartitionToWide<decltype(d)> dWide;
    const auto scale = hn::Set(d, factor);
    const auto a = hn::Mul(hn::LoadU(d, from), scale), b = hn::Mul(hn::LoadU(d, from + fromStride), scale);
    const auto c = hn::Mul(hn::LoadU(d, from + 2 * fromStride), scale);
    const auto e = hn::Mul(hn::LoadU(d, from + 3 * fromStride), scale);
    const auto abLow = hn::BitCast(dWide, hn::InterleaveLower(d, a, b));
    const auto abHigh = hn::BitCast(dWide, hn::InterleaveUpper(d, a, b));
    const auto ceLow = hn::BitCast(dWide, hn::InterleaveLower(d, c, e));
    const auto ceHigh = hn::BitCast(dWide, hn::InterleaveUpper(d, c, e));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dWide, abLow, ceLow)), d, to);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dWide, abLow, ceLow)), d, to + toStride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dWide, abHigh, ceHigh)), d, to + 2 * toStride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dWide, abHigh, ceHigh)), d, to + 3 * toStride);
}

/// Packs tokens as [channel][width]: `tokens` rows of `channels` floats become columns, missing ones (up to width)
/// zeros, every value times factor.
inline void packColumns(const float* from, std::int64_t stride, std::int64_t tokens, std::int64_t channels,
                        float factor, float* to, std::int64_t width) {
    std::int64_t t = 0;
    for (; t + 4 <= tokens; t += 4) {
        const float* rows = from + t * stride;
        std::int64_t c = 0;
        for (; c + 4 <= channels; c += 4) transpose4(rows + c, stride, factor, to + c * width + t, width);
        for (; c < channels; ++c)
            for (std::int64_t i = 0; i < 4; ++i) to[c * width + t + i] = rows[i * stride + c] * factor;
    }
    for (; t < width; ++t)
        for (std::int64_t c = 0; c < channels; ++c)
            to[c * width + t] = t < tokens ? from[t * stride + c] * factor : 0.0f;
}

/// Packs values as [token][paddedHead] with zeros behind the head.
inline void packValues(const float* from, std::int64_t stride, std::int64_t tokens, const AttentionTiling& tiling,
                       float* to) {
    const FloatTag d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t t = 0; t < tokens; ++t, from += stride, to += tiling.paddedHead) {
        std::int64_t c = 0;
        for (; c + lanes <= tiling.headSize; c += lanes) hn::StoreU(hn::LoadU(d, from + c), d, to + c);
        if (c < tiling.headSize) {
            hn::StoreU(loadFirst(d, from + c, static_cast<std::size_t>(tiling.headSize - c)), d, to + c);
            c += lanes;
        }
        for (; c < tiling.paddedHead; c += lanes) hn::StoreU(hn::Zero(d), d, to + c);
    }
}

/// Scores of kRows queries with N vectors of keys; raises `highest` to the largest of each lane.
/// keys [headSize][N * lanes], queries [headSize][kRows], scores kRows rows `stride` apart.
/// Keys behind validKeys (padding) get a score that softmax turns into nothing.
template <std::size_t N>
HWY_INLINE void scorePanel(const float* HWY_RESTRICT keys, const float* HWY_RESTRICT queries, std::int64_t headSize,
                           std::int64_t validKeys, float* HWY_RESTRICT scores, std::int64_t stride,
                           float* HWY_RESTRICT highest) {
    const FloatTag d;
    const std::size_t lanes = hn::Lanes(d);
    FloatVector sums[kRows][N];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
        for (std::size_t n = 0; n < N; ++n) sums[r][n] = hn::Zero(d);
    for (std::int64_t c = 0; c < headSize; ++c, keys += N * lanes, queries += kRows) {
        FloatVector k[N];
#pragma GCC unroll 4
        for (std::size_t n = 0; n < N; ++n) k[n] = hn::LoadU(d, keys + n * lanes);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r) {
            const auto q = hn::Set(d, queries[r]);
#pragma GCC unroll 4
            for (std::size_t n = 0; n < N; ++n) sums[r][n] = hn::MulAdd(q, k[n], sums[r][n]);
        }
    }
    if (validKeys < static_cast<std::int64_t>(N * lanes)) {
        const auto nothing = hn::Set(d, std::numeric_limits<float>::lowest());
        const auto lastKeys = static_cast<std::size_t>(validKeys) - (N - 1) * lanes;
        const auto valid = hn::FirstN(d, lastKeys);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r) sums[r][N - 1] = hn::IfThenElse(valid, sums[r][N - 1], nothing);
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r) {
        auto top = hn::LoadU(d, highest + r * lanes);
#pragma GCC unroll 4
        for (std::size_t n = 0; n < N; ++n) {
            top = hn::Max(top, sums[r][n]);
            hn::StoreU(sums[r][n], d,
                       scores + static_cast<std::int64_t>(r) * stride + static_cast<std::int64_t>(n * lanes));
        }
        hn::StoreU(top, d, highest + r * lanes);
    }
}

/// out[r] = out[r] * keep[r] + sum over keys of scores[r][key] * values[key], for N vectors of channels; the last
/// vector has lastLanes channels that exist. keep null: out is overwritten.
template <std::size_t N>
HWY_INLINE void addValues(const float* HWY_RESTRICT scores, std::int64_t scoreStride, const float* HWY_RESTRICT values,
                          std::int64_t valueStride, std::int64_t keys, const float* keep, float* const* out,
                          std::int64_t channel, std::size_t lastLanes) {
    const FloatTag d;
    const std::size_t lanes = hn::Lanes(d);
    FloatVector sums[kRows][N];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
        for (std::size_t n = 0; n < N; ++n) sums[r][n] = hn::Zero(d);
    values += channel;
    for (std::int64_t key = 0; key < keys; ++key, values += valueStride) {
        FloatVector v[N];
#pragma GCC unroll 4
        for (std::size_t n = 0; n < N; ++n) v[n] = hn::LoadU(d, values + n * lanes);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r) {
            const auto p = hn::Set(d, scores[static_cast<std::int64_t>(r) * scoreStride + key]);
#pragma GCC unroll 4
            for (std::size_t n = 0; n < N; ++n) sums[r][n] = hn::MulAdd(p, v[n], sums[r][n]);
        }
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 4
        for (std::size_t n = 0; n < N; ++n) {
            float* to = out[r] + channel + n * lanes;
            const std::size_t count = n + 1 == N ? lastLanes : lanes;
            if (count == lanes) {
                if (keep != nullptr) sums[r][n] = hn::MulAdd(hn::LoadU(d, to), hn::Set(d, keep[r]), sums[r][n]);
                hn::StoreU(sums[r][n], d, to);
            } else {
                if (keep != nullptr) sums[r][n] = hn::MulAdd(loadFirst(d, to, count), hn::Set(d, keep[r]), sums[r][n]);
                storeFirst(sums[r][n], d, to, count);
            }
        }
}

/// Turns a row of scores into 2^(score - top) in place and gives their sum. keys: a multiple of the lanes.
HWY_INLINE float exponentials(float* HWY_RESTRICT scores, std::int64_t keys, float top) {
    const FloatTag d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto highest = hn::Set(d, top);
    auto a = hn::Zero(d), b = a;
    std::int64_t i = 0;
    for (; i + 2 * lanes <= keys; i += 2 * lanes) {
        const auto low = exp2Below(d, hn::Sub(hn::LoadU(d, scores + i), highest));
        const auto high = exp2Below(d, hn::Sub(hn::LoadU(d, scores + i + lanes), highest));
        hn::StoreU(low, d, scores + i);
        hn::StoreU(high, d, scores + i + lanes);
        a = hn::Add(a, low);
        b = hn::Add(b, high);
    }
    if (i < keys) {
        const auto last = exp2Below(d, hn::Sub(hn::LoadU(d, scores + i), highest));
        hn::StoreU(last, d, scores + i);
        a = hn::Add(a, last);
    }
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
