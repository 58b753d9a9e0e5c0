#include "kernels/cpu/group_norm_cpu.h"

#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/gamma_beta.h"
#include "kernels/cpu/group_norm_layout.h"
#include "kernels/cpu/parallel_for.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/group_norm_cpu.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/activation_math-inl.h"
#include "kernels/cpu/vector_tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

/// Pixels whose sums are kept in f32 before they go to f64: few enough for an error of some 1e-7.
constexpr std::size_t kBlockPixels = 256;

/// Adds `Pixels` pixels to the sums of one vector of channels. Pairs first: shorter chains, smaller errors.
template <std::size_t Pixels, class D, class V>
HWY_INLINE void sumPixels(D d, const float* x, std::size_t stride, V shift, float* sums, float* squares) {
    const V a = hn::Sub(hn::LoadU(d, x), shift);
    V sum = a, square = hn::Mul(a, a);
    for (std::size_t p = 1; p < Pixels; ++p) {
        const V b = hn::Sub(hn::LoadU(d, x + p * stride), shift);
        sum = hn::Add(sum, b);
        square = hn::MulAdd(b, b, square);
    }
    hn::StoreU(hn::Add(hn::LoadU(d, sums), sum), d, sums);
    hn::StoreU(hn::Add(hn::LoadU(d, squares), square), d, squares);
}

template <std::size_t Pixels>
HWY_INLINE void sumRows(const GroupNormSums& run, const float* x) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d), channels = run.channels;
    float *sums = run.blockSums, *squares = run.blockSums + channels;
    std::size_t c = 0;
    for (; c + lanes <= channels; c += lanes)
        sumPixels<Pixels>(d, x + c, channels, hn::LoadU(d, run.shift + c), sums + c, squares + c);
    for (; c < channels; ++c) {
        const hn::CappedTag<float, 1> one;
        sumPixels<Pixels>(one, x + c, channels, hn::LoadU(one, run.shift + c), sums + c, squares + c);
    }
}

void sumChannels(const GroupNormSums& run) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> half;
    const std::size_t lanes = hn::Lanes(d), values = 2 * run.channels;
    std::fill_n(run.sums, values, 0.0);
    for (std::size_t first = 0; first < run.pixels; first += kBlockPixels) {
        const std::size_t end = std::min(run.pixels, first + kBlockPixels);
        std::fill_n(run.blockSums, values, 0.0f);
        std::size_t p = first;
        for (; p + 4 <= end; p += 4) sumRows<4>(run, run.x + p * run.channels);
        for (; p < end; ++p) sumRows<1>(run, run.x + p * run.channels);
        std::size_t i = 0;
        for (; i + lanes <= values; i += lanes)
            hn::StoreU(hn::Add(hn::LoadU(d, run.sums + i), hn::PromoteTo(d, hn::LoadU(half, run.blockSums + i))), d,
                       run.sums + i);
        for (; i < values; ++i) run.sums[i] += static_cast<double>(run.blockSums[i]);
    }
}

template <class F>
HWY_INLINE void scalePixels(const GroupNormPixels& run, const F& activation) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d), channels = run.channels;
    for (std::size_t p = 0; p < run.pixels; ++p) {
        const float* x = run.x + p * channels;
        float* y = run.y + p * channels;
        std::size_t c = 0;
        for (; c + 2 * lanes <= channels; c += 2 * lanes) {
            const auto low = activation(
                d, hn::MulAdd(hn::LoadU(d, x + c), hn::LoadU(d, run.scale + c), hn::LoadU(d, run.offset + c)));
            const auto high = activation(d, hn::MulAdd(hn::LoadU(d, x + c + lanes), hn::LoadU(d, run.scale + c + lanes),
                                                       hn::LoadU(d, run.offset + c + lanes)));
            hn::StoreU(low, d, y + c);
            hn::StoreU(high, d, y + c + lanes);
        }
        for (; c < channels; c += lanes) {
            const std::size_t left = std::min(lanes, channels - c);
            const auto v = hn::MulAdd(loadFirst(d, x + c, left), loadFirst(d, run.scale + c, left),
                                      loadFirst(d, run.offset + c, left));
            storeFirst(activation(d, v), d, y + c, left);
        }
    }
}

void normalisePixels(const GroupNormPixels& run) {
    withActivation(run.activation, [&](const auto& f) HWY_ATTR { scalePixels(run, f); });
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(sumChannels);
HWY_EXPORT(normalisePixels);

namespace {

class GroupNormStep : public BoundStep {
  public:
    GroupNormStep(const StepRequest& request, int threads)
        : op_(std::get<GroupNorm>(request.node.op)),
          weights_(request.node.weights, request.output.channels()),
          layout_(request.output),
          isAddShared_(op_.hasChannelAdd && request.inputs[1].batch() == 1),
          threads_(threads) {}

    std::size_t scratchBytes() const override { return layout_.scratchBytes(); }
    std::size_t weightBytes() const override { return weights_.sizeBytes(); }
    Status loadWeights(const WeightProvider& provider) override { return weights_.load(provider); }

    Status run() override {
        if (!op_.hasStatistics) sum();
        for (std::int64_t n = 0; n < layout_.batch; ++n) findScales(n);
        parallelFor(threads_, layout_.batch * layout_.pixels, layout_.pixelGrain(),
                    [this](std::int64_t begin, std::int64_t end) { normalise(begin, end); });
        return {};
    }

  private:
    void sum() {
        for (std::int64_t n = 0; n < layout_.batch; ++n)
            estimateMeans(layout_, buffers_.inputs[0] + n * layout_.sampleSize(), layout_.shift(buffers_.scratch, n));
        // Parts, not threads, so that the sums do not depend on the number of threads.
        parallelFor(threads_, layout_.batch * layout_.parts, layout_.partGrain(),
                    [this](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t i = begin; i < end; ++i) sumPart(i / layout_.parts, i % layout_.parts);
                    });
    }

    void sumPart(std::int64_t n, std::int64_t part) {
        const std::int64_t first = layout_.firstPixel(part), end = layout_.firstPixel(part + 1);
        HWY_DYNAMIC_DISPATCH(sumChannels)
        (GroupNormSums{buffers_.inputs[0] + n * layout_.sampleSize() + first * layout_.channels,
                       static_cast<std::size_t>(end - first), static_cast<std::size_t>(layout_.channels),
                       layout_.shift(buffers_.scratch, n), layout_.blockSums(buffers_.scratch, n, part),
                       layout_.sums(buffers_.scratch, n, part)});
    }

    void findScales(std::int64_t n) {
        const float* add = nullptr;
        if (op_.hasChannelAdd) add = buffers_.inputs[1] + (isAddShared_ ? 0 : n * layout_.channels);
        const GroupNormTerms terms{op_.groups, op_.epsilon, weights_.gamma(), weights_.beta(), add};
        if (op_.hasStatistics)
            statisticsToScales(layout_, terms, buffers_.inputs.back() + n * 2 * op_.groups, buffers_.scratch, n);
        else
            reduceToScales(layout_, terms, buffers_.scratch, n);
    }

    void normalise(std::int64_t begin, std::int64_t end) {
        while (begin < end) {
            const std::int64_t n = begin / layout_.pixels;
            const std::int64_t stop = std::min(end, (n + 1) * layout_.pixels);
            HWY_DYNAMIC_DISPATCH(normalisePixels)
            (GroupNormPixels{buffers_.inputs[0] + begin * layout_.channels, buffers_.output + begin * layout_.channels,
                             static_cast<std::size_t>(stop - begin), static_cast<std::size_t>(layout_.channels),
                             layout_.scale(buffers_.scratch, n), layout_.offset(buffers_.scratch, n), op_.activation});
            begin = stop;
        }
    }

    GroupNorm op_;
    GammaBeta weights_;
    GroupNormLayout layout_;
    bool isAddShared_;
    int threads_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeGroupNormStep(const StepRequest& request, int threads) {
    auto step = std::make_unique<GroupNormStep>(request, threads);
    RB_TRY(step->loadWeights(request.weights));
    return step;
}

}  // namespace reelbrush::kernels
#endif
