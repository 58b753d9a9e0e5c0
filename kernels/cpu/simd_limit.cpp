#include "kernels/cpu/simd_limit.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_limit.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

/// What a kernel that is called now was compiled for.
std::int64_t compiledTarget() {
    return HWY_TARGET;
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(compiledTarget);

namespace {

std::atomic<SimdLimit> currentLimit{SimdLimit::Best};
std::once_flag environmentRead;

void apply(SimdLimit limit) {
    currentLimit = limit;
#if HWY_ARCH_X86
    // The first call of SupportedTargets chooses among all targets, disabled or not, so it has to come before.
    hwy::SupportedTargets();
    std::int64_t disabled = 0;
    if (limit != SimdLimit::Best) disabled |= HWY_AVX3 | HWY_AVX3_DL;
    if (limit == SimdLimit::Sse4) disabled |= HWY_AVX2;
    hwy::DisableTargets(disabled);
    hwy::GetChosenTarget().DeInit();
#endif
}

void readEnvironment() {
    const char* text = std::getenv("REELBRUSH_MAX_SIMD");
    const std::string_view value = text == nullptr ? "" : text;
    if (value == "sse4") apply(SimdLimit::Sse4);
    if (value == "avx2") apply(SimdLimit::Avx2);
}

}  // namespace

void applySimdLimitFromEnvironment() {
    std::call_once(environmentRead, readEnvironment);
}

void setSimdLimit(SimdLimit limit) {
    applySimdLimitFromEnvironment();
    apply(limit);
}

SimdLimit simdLimit() {
    applySimdLimitFromEnvironment();
    return currentLimit;
}

std::string simdName() {
    applySimdLimitFromEnvironment();
    const std::int64_t target = HWY_DYNAMIC_DISPATCH(compiledTarget)();
#if HWY_ARCH_X86
    if (target == HWY_AVX3 || target == HWY_AVX3_DL) return "AVX-512";
#endif
    return hwy::TargetName(target);
}

}  // namespace reelbrush::kernels
#endif
