#include "tests/bench/fma_peak.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/fma_peak.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace reelbrush::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Twelve independent chains hide the latency of the multiply-add units.
double multiplyAdds(float* sink) {
    constexpr std::size_t kChains = 12;
    constexpr std::int64_t kRounds = 20000;
    const hn::ScalableTag<float> d;
    const auto factor = hn::Set(d, 0.999f), term = hn::Set(d, 0.001f);
    hn::Vec<decltype(d)> chains[kChains];
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kChains; ++i) chains[i] = hn::Set(d, static_cast<float>(i));
    for (std::int64_t round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
        for (std::size_t i = 0; i < kChains; ++i) chains[i] = hn::MulAdd(chains[i], factor, term);
    auto sum = hn::Zero(d);
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kChains; ++i) sum = hn::Add(sum, chains[i]);
    *sink = hn::GetLane(hn::SumOfLanes(d, sum));
    return 2.0 * kChains * kRounds * static_cast<double>(hn::Lanes(d));
}

}  // namespace reelbrush::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::bench {

HWY_EXPORT(multiplyAdds);

double runMultiplyAdds() {
    float sink = 0.0f;
    const double operations = HWY_DYNAMIC_DISPATCH(multiplyAdds)(&sink);
    benchmark::DoNotOptimize(sink);
    return operations;
}

}  // namespace reelbrush::bench
#endif
