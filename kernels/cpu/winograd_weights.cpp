#include "kernels/cpu/winograd_weights.h"

#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_limit.h"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/winograd_weights.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Three values seen as a quadratic at the points 0, near, -near, far, -far and infinity, each scaled as interpolation
/// between these points asks for. The points are oneDNN's.
template <class D>
HWY_INLINE void atPoints(D d, const hn::Vec<D>* g, std::size_t stride, hn::Vec<D>* to, std::size_t toStride) {
    constexpr float kNear = 0.625f, kFar = 1.5f;
    constexpr float kNear2 = kNear * kNear, kFar2 = kFar * kFar;
    constexpr float kZeroScale = 1.0f / (kNear2 * kFar2);
    constexpr float kNearScale = 1.0f / (2.0f * kNear2 * (kNear2 - kFar2));
    constexpr float kFarScale = 1.0f / (2.0f * kFar2 * (kFar2 - kNear2));
    const auto a = g[0], b = g[stride], c = g[2 * stride];
    to[0] = hn::Mul(a, hn::Set(d, kZeroScale));
    const auto nearEven = hn::MulAdd(c, hn::Set(d, kNear2 * kNearScale), hn::Mul(a, hn::Set(d, kNearScale)));
    const auto nearOdd = hn::Mul(b, hn::Set(d, kNear * kNearScale));
    to[toStride] = hn::Add(nearEven, nearOdd);
    to[2 * toStride] = hn::Sub(nearEven, nearOdd);
    const auto farEven = hn::MulAdd(c, hn::Set(d, kFar2 * kFarScale), hn::Mul(a, hn::Set(d, kFarScale)));
    const auto farOdd = hn::Mul(b, hn::Set(d, kFar * kFarScale));
    to[3 * toStride] = hn::Add(farEven, farOdd);
    to[4 * toStride] = hn::Sub(farEven, farOdd);
    to[5 * toStride] = c;
}

/// A block of 16 inputs x 16 outputs: from [3][3][16][16], to 36 blocks of [16][16] `stride` floats apart.
void transformBlock(const float* HWY_RESTRICT from, float* HWY_RESTRICT to, std::size_t stride) {
    const hn::CappedTag<float, 16> d;
    using V = hn::Vec<decltype(d)>;
    constexpr std::size_t kBlock = 256;
    for (std::size_t at = 0; at < kBlock; at += hn::Lanes(d)) {
        V weights[9], columns[18], result[36];
        for (std::size_t k = 0; k < 9; ++k) weights[k] = hn::LoadU(d, from + k * kBlock + at);
        for (std::size_t x = 0; x < 3; ++x) atPoints(d, weights + x, 3, columns + x, 3);
        for (std::size_t y = 0; y < 6; ++y) atPoints(d, columns + 3 * y, 1, result + 6 * y, 1);
        for (std::size_t k = 0; k < 36; ++k) hn::StoreU(result[k], d, to + k * stride + at);
    }
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(transformBlock);

std::optional<WinogradWeightLayout> WinogradWeightLayout::of(const dnnl::memory::desc& desc) {
    if (desc.data.format_kind != dnnl_format_kind_wino) return std::nullopt;
    const dnnl_wino_desc_t& wino = desc.data.format_desc.wino_desc;
    if (wino.wino_format != dnnl_wino_wei_OBaaIBOIio || wino.r != 3 || wino.alpha != 6 || wino.ic_block != 16 ||
        wino.oc_block != 16 || wino.ic % 16 != 0 || wino.oc % 16 != 0)
        return std::nullopt;
    return WinogradWeightLayout{wino.ic / 16, wino.oc / 16, wino.ic2_block, wino.oc2_block};
}

void transformWinogradWeights(const float* from, const WinogradWeightLayout& layout, int threads, float* to) {
    applySimdLimitFromEnvironment();
    constexpr std::int64_t kBlock = 256, kFrequencies = 36, kWeights = 9, kGrain = 16;
    const std::int64_t inBlocks = layout.inBlocks, inGroup = layout.inGroup, outGroup = layout.outGroup;
    const std::int64_t stride = inBlocks * outGroup * kBlock;
    parallelFor(threads, inBlocks * layout.outBlocks, kGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t out = block / inBlocks, in = block % inBlocks;
            const std::int64_t place = (in / inGroup * outGroup + out % outGroup) * inGroup + in % inGroup;
            HWY_DYNAMIC_DISPATCH(transformBlock)
            (from + block * kWeights * kBlock, to + out / outGroup * kFrequencies * stride + place * kBlock,
             static_cast<std::size_t>(stride));
        }
    });
}

}  // namespace reelbrush::kernels
#endif
