#include "kernels/cpu/peak_flops.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/one_thread.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/processor.h"
#include "kernels/cpu/simd_limit.h"
#include "kernels/tensor/buffer.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

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

/// Runs chains of multiply-adds; returns the operations done. sink [kChains]: where they begin; the first takes their
/// end, so that the compiler cannot drop them.
double multiplyAdds(std::int64_t rounds, float* sink) {
    const hn::ScalableTag<float> d;
    const auto factor = hn::Set(d, 0.999f), term = hn::Set(d, 0.001f);
    // Each chain begins elsewhere, or the compiler would compute one and call it twelve.
    auto a = hn::Set(d, sink[0]);
    auto b = hn::Set(d, sink[1]);
    auto c = hn::Set(d, sink[2]);
    auto e = hn::Set(d, sink[3]);
    auto f = hn::Set(d, sink[4]);
    auto g = hn::Set(d, sink[5]);
    auto h = hn::Set(d, sink[6]);
    auto i = hn::Set(d, sink[7]);
    auto j = hn::Set(d, sink[8]);
    auto k = hn::Set(d, sink[9]);
    auto l = hn::Set(d, sink[10]);
    auto m = hn::Set(d, sink[11]);
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

/// Operations a second of `run`, which does some and says how many. Others at work slow most runs down, so many short
/// ones are made, and the best of them counts.
template <typename Run>
double bestRate(const Run& run) {
    constexpr double kMeasureSeconds = 0.2;
    double best = 0.0;
    for (const auto begun = Clock::now(); secondsSince(begun) < kMeasureSeconds;) {
        const auto start = Clock::now();
        const double operations = run();
        best = std::max(best, operations / secondsSince(start));
    }
    return best;
}

double multiplyAddRate() {
    constexpr std::int64_t kRounds = 1 << 16;
    float sink[12];
    for (int i = 0; i < 12; ++i) sink[i] = 1.0f + 0.01f * static_cast<float>(i);
    const double rate = bestRate([&] { return HWY_DYNAMIC_DISPATCH(multiplyAdds)(kRounds, sink); });
    return sink[0] == 0.0f ? 0.0 : rate;
}

/// A product that fits one processor's cache, for one thread.
class Int8Product {
  public:
    static Result<std::unique_ptr<Int8Product>> make() {
        return guarded("measuring the int8 peak", []() -> Result<std::unique_ptr<Int8Product>> {
            const OneThread guard;
            auto product = std::unique_ptr<Int8Product>(new Int8Product);
            RB_TRY(product->bind(DNNL_ARG_SRC, product->desc_.src_desc()));
            RB_TRY(product->bind(DNNL_ARG_WEIGHTS, product->desc_.weights_desc()));
            RB_TRY(product->bind(DNNL_ARG_DST, product->desc_.dst_desc()));
            RB_TRY(product->bind(DNNL_ARG_SCRATCHPAD, product->desc_.scratchpad_desc()));
            return product;
        });
    }
    /// 0 where it failed.
    double rate() const {
        return bestRate([&] { return call_.run(onednn_.stream) ? 2.0 * kRows * kInner * kColumns : 0.0; });
    }

  private:
    static constexpr std::int64_t kRows = 256, kInner = 1024, kColumns = 256;
    using DataType = dnnl::memory::data_type;
    using Tag = dnnl::memory::format_tag;

    Int8Product() = default;
    dnnl::matmul::primitive_desc describe() const {
        const dnnl::memory::desc source({kRows, kInner}, DataType::u8, Tag::ab);
        const dnnl::memory::desc weights({kInner, kColumns}, DataType::s8, Tag::any);
        const dnnl::memory::desc sums({kRows, kColumns}, DataType::s32, Tag::ab);
        return {dnnl::matmul::desc(source, weights, sums), attributes(), onednn_.engine};
    }
    Status bind(int argument, const dnnl::memory::desc& desc) {
        RB_ASSIGN(Buffer buffer, Buffer::allocate(desc.get_size(), nullptr, "measuring the int8 peak"));
        call_.set(argument, desc, onednn_.engine, buffer.data());
        memory_.push_back(std::move(buffer));
        return {};
    }

    Onednn onednn_;
    dnnl::matmul::primitive_desc desc_ = describe();
    OnednnCall call_ = OnednnCall(dnnl::matmul(desc_));
    std::vector<Buffer> memory_;
};

/// Sum of what `threads` threads reach at once, each timed for itself.
template <typename RateOfThread>
double rateOfAll(int threads, const RateOfThread& rateOfThread) {
    double sum = 0.0;
    parallelFor(threads, threads, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t thread = begin; thread < end; ++thread) {
            const double own = rateOfThread(static_cast<std::size_t>(thread));
#pragma omp critical(reelbrush_peak_flops)
            sum += own;
        }
    });
    return sum * 1e-9;
}

}  // namespace

Result<PeakRates> measurePeakRates(int threads) {
    applySimdLimitFromEnvironment();
    applyOnednnLimitFromEnvironment();
    PeakRates rates;
    rates.float32 = rateOfAll(threads, [](std::size_t) { return multiplyAddRate(); });
    if (!cpuHasFastInt8()) return rates;
    std::vector<std::unique_ptr<Int8Product>> products;
    for (int thread = 0; thread < threads; ++thread) {
        RB_ASSIGN(auto product, Int8Product::make());
        products.push_back(std::move(product));
    }
    const OneThread guard;
    rates.int8 = rateOfAll(threads, [&](std::size_t thread) { return products[thread]->rate(); });
    return rates;
}

}  // namespace reelbrush::kernels
#endif
