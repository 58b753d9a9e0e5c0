#include "kernels/cpu/quantise_cpu.h"

#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_limit.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/quantise_cpu.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/vector_tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

float absoluteMaximumOf(const float* values, std::size_t count) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    auto a = hn::Zero(d), b = a, c = a, e = a;
    std::size_t i = 0;
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
        a = hn::Max(a, hn::Abs(hn::LoadU(d, values + i)));
        b = hn::Max(b, hn::Abs(hn::LoadU(d, values + i + lanes)));
        c = hn::Max(c, hn::Abs(hn::LoadU(d, values + i + 2 * lanes)));
        e = hn::Max(e, hn::Abs(hn::LoadU(d, values + i + 3 * lanes)));
    }
    for (; i + lanes <= count; i += lanes) a = hn::Max(a, hn::Abs(hn::LoadU(d, values + i)));
    if (i < count) b = hn::Max(b, hn::Abs(loadFirst(d, values + i, count - i)));
    return hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(a, b), hn::Max(c, e))));
}

void quantiseS8(const float* values, std::size_t count, float inverseScale, std::int8_t* out) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<std::int8_t, decltype(d)> dOut;
    const std::size_t lanes = hn::Lanes(d);
    const auto scale = hn::Set(d, inverseScale), lowest = hn::Set(d, -127.0f), highest = hn::Set(d, 127.0f);
    const auto round = [&](hn::Vec<decltype(d)> v) HWY_ATTR {
        return hn::DemoteTo(dOut, hn::NearestInt(hn::Min(hn::Max(hn::Mul(v, scale), lowest), highest)));
    };
    std::size_t i = 0;
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
        hn::StoreU(round(hn::LoadU(d, values + i)), dOut, out + i);
        hn::StoreU(round(hn::LoadU(d, values + i + lanes)), dOut, out + i + lanes);
        hn::StoreU(round(hn::LoadU(d, values + i + 2 * lanes)), dOut, out + i + 2 * lanes);
        hn::StoreU(round(hn::LoadU(d, values + i + 3 * lanes)), dOut, out + i + 3 * lanes);
    }
    for (; i + lanes <= count; i += lanes) hn::StoreU(round(hn::LoadU(d, values + i)), dOut, out + i);
    if (i == count) return;
    HWY_ALIGN std::int8_t last[hn::MaxLanes(d)];
    hn::StoreU(round(loadFirst(d, values + i, count - i)), dOut, last);
    std::copy_n(last, count - i, out + i);
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(absoluteMaximumOf);
HWY_EXPORT(quantiseS8);

namespace {
/// Values that are worth a thread.
constexpr std::int64_t kGrain = 16384;
/// Rows quieter than this count as zeros: the inverse of their scale would overflow.
constexpr float kSilence = 1e-35f;
}  // namespace

void quantiseRowsToS8(const QuantiseRows& block, std::int8_t* out, float* scales) {
    applySimdLimitFromEnvironment();
    if (block.channels <= 0) return;
    const auto channels = static_cast<std::size_t>(block.channels);
    parallelFor(block.threads, block.rows, kGrain / block.channels, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const float* values = block.values + row * block.channels;
            const float highest = HWY_DYNAMIC_DISPATCH(absoluteMaximumOf)(values, channels);
            const float inverse = highest > kSilence ? 127.0f / highest : 0.0f;
            scales[row] = highest > kSilence ? highest / 127.0f : 0.0f;
            HWY_DYNAMIC_DISPATCH(quantiseS8)(values, channels, inverse, out + row * block.channels);
        }
    });
}

}  // namespace reelbrush::kernels
#endif
