#include "kernels/cpu/layer_norm_cpu.h"

#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/gamma_beta.h"
#include "kernels/cpu/parallel_for.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/layer_norm_cpu.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/vector_tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

/// Sum over a row of f(x); lanes behind its end do not count.
template <class F>
HWY_INLINE float sumOver(const float* x, std::size_t count, const F& f) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    auto a = hn::Zero(d), b = a, c = a, e = a;
    std::size_t i = 0;
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
        a = hn::Add(a, f(hn::LoadU(d, x + i)));
        b = hn::Add(b, f(hn::LoadU(d, x + i + lanes)));
        c = hn::Add(c, f(hn::LoadU(d, x + i + 2 * lanes)));
        e = hn::Add(e, f(hn::LoadU(d, x + i + 3 * lanes)));
    }
    for (; i + lanes <= count; i += lanes) a = hn::Add(a, f(hn::LoadU(d, x + i)));
    if (i < count) b = hn::Add(b, hn::IfThenElseZero(hn::FirstN(d, count - i), f(loadFirst(d, x + i, count - i))));
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

/// Two passes for mean and variance: a row is in the first cache.
void layerNormRows(const LayerNormRows& block) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t channels = block.channels;
    const float inverseCount = 1.0f / static_cast<float>(channels);
    const float *x = block.x, *gamma = block.gamma, *beta = block.beta;
    float* y = block.y;
    for (std::size_t row = 0; row < block.rows; ++row, x += channels, y += channels) {
        const float sum = sumOver(x, channels, [](auto v) HWY_ATTR { return v; });
        const auto mean = hn::Set(d, sum * inverseCount);
        const float squares = sumOver(x, channels, [mean](auto v) HWY_ATTR {
            const auto distance = hn::Sub(v, mean);
            return hn::Mul(distance, distance);
        });
        const auto inverse = hn::Set(d, 1.0f / std::sqrt(squares * inverseCount + block.epsilon));
        const auto normalise = [&](auto v, auto g, auto b)
                                   HWY_ATTR { return hn::MulAdd(hn::Mul(hn::Sub(v, mean), inverse), g, b); };
        std::size_t c = 0;
        for (; c + lanes <= channels; c += lanes)
            hn::StoreU(normalise(hn::LoadU(d, x + c), hn::LoadU(d, gamma + c), hn::LoadU(d, beta + c)), d, y + c);
        if (c < channels) {
            const std::size_t left = channels - c;
            storeFirst(
                normalise(loadFirst(d, x + c, left), loadFirst(d, gamma + c, left), loadFirst(d, beta + c, left)), d,
                y + c, left);
        }
    }
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(layerNormRows);

namespace {

class LayerNormStep : public BoundStep {
  public:
    LayerNormStep(const StepRequest& request, int threads)
        : weights_(request.node.weights, request.output.channels()),
          rows_(request.output.rows()),
          channels_(request.output.channels()),
          epsilon_(std::get<LayerNorm>(request.node.op).epsilon),
          threads_(threads) {}

    std::size_t weightBytes() const override { return weights_.sizeBytes(); }
    Status loadWeights(const WeightProvider& provider) override { return weights_.load(provider); }

    Status run() override {
        constexpr std::int64_t kGrain = 8192;
        parallelFor(threads_, rows_, kGrain / channels_ + 1, [this](std::int64_t begin, std::int64_t end) {
            HWY_DYNAMIC_DISPATCH(layerNormRows)
            (LayerNormRows{buffers_.inputs[0] + begin * channels_, buffers_.output + begin * channels_,
                           static_cast<std::size_t>(end - begin), static_cast<std::size_t>(channels_), weights_.gamma(),
                           weights_.beta(), epsilon_});
        });
        return {};
    }

  private:
    GammaBeta weights_;
    std::int64_t rows_, channels_;
    float epsilon_;
    int threads_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeLayerNormStep(const StepRequest& request, int threads) {
    auto step = std::make_unique<LayerNormStep>(request, threads);
    RB_TRY(step->loadWeights(request.weights));
    return step;
}

}  // namespace reelbrush::kernels
#endif
