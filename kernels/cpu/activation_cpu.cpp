#include "kernels/cpu/activation_cpu.h"

#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/activation_cpu.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/activation_math-inl.h"
#include "kernels/cpu/vector_tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

void activateRun(Activation kind, const float* x, float* y, std::size_t count) {
    withActivation(kind, [&](const auto& f) HWY_ATTR { mapRun(x, y, count, f); });
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(activateRun);

namespace {

class ActivationStep : public BoundStep {
  public:
    ActivationStep(Activation kind, std::int64_t count, int threads) : kind_(kind), count_(count), threads_(threads) {}

    Status run() override {
        constexpr std::int64_t kGrain = 8192;
        parallelFor(threads_, count_, kGrain, [this](std::int64_t begin, std::int64_t end) {
            HWY_DYNAMIC_DISPATCH(activateRun)
            (kind_, buffers_.inputs[0] + begin, buffers_.output + begin, static_cast<std::size_t>(end - begin));
        });
        return {};
    }

  private:
    Activation kind_;
    std::int64_t count_;
    int threads_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeActivationStep(const StepRequest& request, int threads) {
    const auto& op = std::get<ActivationOp>(request.node.op);
    return std::make_unique<ActivationStep>(op.kind, request.output.elements(), threads);
}

}  // namespace reelbrush::kernels
#endif
