#include "kernels/cpu/peak_flops.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/processor.h"
#include "kernels/cpu/simd_limit.h"
#include "kernels/tensor/buffer.h"

#include <omp.h>

#include <algorithm>
#include <chrono>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/peak_flops.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Independent chains, enough to hide the latency of a multiply-add on two units.
constexpr int kChains = 12;

/// Runs chains of multiply-adds; returns the operations done. `sink` keeps the compiler from dropping them.
double multiplyAdds(std::int64_t rounds, float* sink) {
    const hn::ScalableTag<float> d;
    const auto factor = hn::Set(d, 0.999f), term = hn::Set(d, 0.001f);
    auto a = hn::Set(d, sink[0]), b = a, c = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a, m = a;
    for (std::int64_t round = 0; round < rounds; ++round) {
        a = hn::MulAdd(a, factor, term);
        b = hn::MulAdd(b, factor, term);
        c = hn::MulAdd(c, factor, term);
        e = hn::MulAdd(e, factor, term);
        f = hn::MulAdd(f, factor, term);
        g = hn::MulAdd(g, factor, term);
        h = hn::MulAdd(h, factor, term);
        i = hn::MulAdd(i, factor, term);
        j = hn::MulAdd(j, factor, term);
        k = hn::MulAdd(k, factor, term);
        l = hn::MulAdd(l, factor, term);
        m = hn::MulAdd(m, factor, term);
    }
    const auto sum = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)));
    sink[0] = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, hn::Add(hn::Add(j, k), hn::Add(l, m)))));
    return 2.0 * kChains * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(d));
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(multiplyAdds);

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The best of a few short runs on all threads at once.
double measureFloat32(int threads) {
    constexpr std::int64_t kRounds = 1 << 20;
    double best = 0.0;
    for (int run = 0; run < 8; ++run) {
        double operations = 0.0;
        const auto start = Clock::now();
        parallelFor(threads, threads, 1, [&](std::int64_t begin, std::int64_t end) {
            double own = 0.0;
            float sink[16] = {1.0f};
            for (std::int64_t i = begin; i < end; ++i) own += HWY_DYNAMIC_DISPATCH(multiplyAdds)(kRounds, sink);
#pragma omp critical(reelbrush_peak_flops)
            operations += own + (sink[0] == 12345.0f ? 1.0 : 0.0);
        });
        best = std::max(best, operations / secondsSince(start));
    }
    return best * 1e-9;
}

Result<double> measureInt8() {
    using DataType = dnnl::memory::data_type;
    using Tag = dnnl::memory::format_tag;
    constexpr std::int64_t kRows = 1024, kInner = 1024, kColumns = 512;
    const Onednn onednn;
    const dnnl::memory::desc source({kRows, kInner}, DataType::u8, Tag::ab);
    const dnnl::memory::desc weights({kInner, kColumns}, DataType::s8, Tag::any);
    const dnnl::memory::desc sums({kRows, kColumns}, DataType::s32, Tag::ab);
    const dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(source, weights, sums), attributes(), onednn.engine);
    const dnnl::matmul primitive(desc);
    OnednnCall call(primitive);
    std::vector<Buffer> memory;
    const auto bind = [&](int argument, const dnnl::memory::desc& part) -> Status {
        RB_ASSIGN(Buffer buffer, Buffer::allocate(part.get_size(), nullptr, "measuring the int8 peak"));
        call.set(argument, part, onednn.engine, buffer.data());
        memory.push_back(std::move(buffer));
        return {};
    };
    RB_TRY(bind(DNNL_ARG_SRC, source));
    RB_TRY(bind(DNNL_ARG_WEIGHTS, desc.weights_desc()));
    RB_TRY(bind(DNNL_ARG_DST, sums));
    RB_TRY(bind(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc()));
    double best = 1e30;
    for (int run = 0; run < 30; ++run) {
        const auto start = Clock::now();
        RB_TRY(call.run(onednn.stream));
        best = std::min(best, secondsSince(start));
    }
    return 2.0 * kRows * kInner * kColumns / best * 1e-9;
}

}  // namespace

Result<PeakRates> measurePeakRates(int threads) {
    applySimdLimitFromEnvironment();
    applyOnednnLimitFromEnvironment();
    omp_set_num_threads(threads);
    PeakRates rates;
    rates.float32 = measureFloat32(threads);
    if (cpuHasFastInt8()) {
        RB_ASSIGN(rates.int8, guarded("measuring the int8 peak", measureInt8));
    }
    return rates;
}

}  // namespace reelbrush::kernels
#endif
