#include "kernels/cpu/input_rounding.h"

#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_limit.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/input_rounding.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/vector_tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

ValueRange rangeOf(const float* values, std::size_t count) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    auto low = hn::Zero(d), high = low, otherLow = low, otherHigh = low;
    std::size_t i = 0;
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
        const auto a = hn::LoadU(d, values + i), b = hn::LoadU(d, values + i + lanes);
        low = hn::Min(low, a);
        high = hn::Max(high, a);
        otherLow = hn::Min(otherLow, b);
        otherHigh = hn::Max(otherHigh, b);
    }
    while (i < count) {
        const std::size_t some = std::min(lanes, count - i);
        const auto rest = loadFirst(d, values + i, some);
        low = hn::Min(low, rest);
        high = hn::Max(high, rest);
        i += some;
    }
    return {hn::GetLane(hn::MinOfLanes(d, hn::Min(low, otherLow))),
            hn::GetLane(hn::MaxOfLanes(d, hn::Max(high, otherHigh)))};
}

void roundRun(const float* values, std::size_t count, const InputRounding& rounding, std::uint8_t* out) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<std::uint8_t, decltype(d)> dOut;
    const std::size_t lanes = hn::Lanes(d);
    const auto scale = hn::Set(d, rounding.inverseScale);
    const auto zero = hn::Set(d, static_cast<float>(rounding.zeroPoint));
    // Narrowing clamps to 0..255.
    const auto round = [&](hn::Vec<decltype(d)> v)
                           HWY_ATTR { return hn::DemoteTo(dOut, hn::NearestInt(hn::MulAdd(v, scale, zero))); };
    std::size_t i = 0;
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
        hn::StoreU(round(hn::LoadU(d, values + i)), dOut, out + i);
        hn::StoreU(round(hn::LoadU(d, values + i + lanes)), dOut, out + i + lanes);
        hn::StoreU(round(hn::LoadU(d, values + i + 2 * lanes)), dOut, out + i + 2 * lanes);
        hn::StoreU(round(hn::LoadU(d, values + i + 3 * lanes)), dOut, out + i + 3 * lanes);
    }
    for (; i + lanes <= count; i += lanes) hn::StoreU(round(hn::LoadU(d, values + i)), dOut, out + i);
    if (i == count) return;
    HWY_ALIGN std::uint8_t last[hn::MaxLanes(d)];
    hn::StoreU(round(loadFirst(d, values + i, count - i)), dOut, last);
    std::copy_n(last, count - i, out + i);
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(rangeOf);
HWY_EXPORT(roundRun);

namespace {
/// Values that are worth a thread.
constexpr std::int64_t kGrain = 16384;
/// Narrower ranges count as silence, so that no scale becomes too small to divide by.
constexpr float kSilence = 1e-20f;
}  // namespace

ValueRange rangeWithZero(const float* values, std::int64_t count, int threads) {
    applySimdLimitFromEnvironment();
    ValueRange range;
    parallelFor(threads, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
        const ValueRange own = HWY_DYNAMIC_DISPATCH(rangeOf)(values + begin, static_cast<std::size_t>(end - begin));
#pragma omp critical(reelbrush_input_range)
        range = {std::min(range.lowest, own.lowest), std::max(range.highest, own.highest)};
    });
    return range;
}

InputRounding InputRounding::forRange(const ValueRange& range) {
    const float width = std::max(range.highest - range.lowest, kSilence);
    InputRounding rounding;
    rounding.scale = width / 255.0f;
    rounding.inverseScale = 255.0f / width;
    rounding.zeroPoint =
        static_cast<std::int32_t>(std::clamp(std::nearbyint(-range.lowest * rounding.inverseScale), 0.0f, 255.0f));
    return rounding;
}

void roundInput(const float* values, std::int64_t count, const InputRounding& rounding, int threads,
                std::uint8_t* out) {
    applySimdLimitFromEnvironment();
    parallelFor(threads, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
        HWY_DYNAMIC_DISPATCH(roundRun)(values + begin, static_cast<std::size_t>(end - begin), rounding, out + begin);
    });
}

}  // namespace reelbrush::kernels
#endif
