#include "kernels/cpu/geglu_cpu.h"

#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/geglu_cpu.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/vector_math-inl.h"
#include "kernels/cpu/vector_tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

/// x [rows, 2 * channels], y [rows, channels].
void gegluRows(const float* x, float* y, std::size_t rows, std::size_t channels) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t row = 0; row < rows; ++row, x += 2 * channels, y += channels) {
        const float* gate = x + channels;
        std::size_t c = 0;
        for (; c + 2 * lanes <= channels; c += 2 * lanes) {
            const auto low = hn::Mul(hn::LoadU(d, x + c), geluOf(d, hn::LoadU(d, gate + c)));
            const auto high = hn::Mul(hn::LoadU(d, x + c + lanes), geluOf(d, hn::LoadU(d, gate + c + lanes)));
            hn::StoreU(low, d, y + c);
            hn::StoreU(high, d, y + c + lanes);
        }
        for (; c < channels; c += lanes) {
            const std::size_t left = std::min(lanes, channels - c);
            storeFirst(hn::Mul(loadFirst(d, x + c, left), geluOf(d, loadFirst(d, gate + c, left))), d, y + c, left);
        }
    }
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(gegluRows);

namespace {

class GegluStep : public BoundStep {
  public:
    GegluStep(const Shape& output, int threads)
        : rows_(output.rows()), channels_(output.channels()), threads_(threads) {}

    Status run() override {
        constexpr std::int64_t kGrain = 4096;
        parallelFor(threads_, rows_, kGrain / channels_ + 1, [this](std::int64_t begin, std::int64_t end) {
            HWY_DYNAMIC_DISPATCH(gegluRows)
            (buffers_.inputs[0] + begin * 2 * channels_, buffers_.output + begin * channels_,
             static_cast<std::size_t>(end - begin), static_cast<std::size_t>(channels_));
        });
        return {};
    }

  private:
    std::int64_t rows_, channels_;
    int threads_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeGegluStep(const StepRequest& request, int threads) {
    return std::make_unique<GegluStep>(request.output, threads);
}

}  // namespace reelbrush::kernels
#endif
