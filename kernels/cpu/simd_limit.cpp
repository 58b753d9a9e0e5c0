#include "kernels/cpu/simd_limit.h"

#include <hwy/highway.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace reelbrush::kernels {

namespace {

std::atomic<SimdLimit> currentLimit{SimdLimit::Best};
std::once_flag environmentRead;

/// DisableTargets(0) alone would not forget an earlier choice, so the table of kernels is reset as well.
void apply(SimdLimit limit) {
    currentLimit = limit;
#if HWY_ARCH_X86
    std::int64_t disabled = 0;
    if (limit != SimdLimit::Best) disabled |= HWY_AVX3 | HWY_AVX3_DL;
    if (limit == SimdLimit::Sse4) disabled |= HWY_AVX2;
    hwy::DisableTargets(disabled);
#endif
    hwy::GetChosenTarget().DeInit();
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
    const std::int64_t targets = hwy::SupportedTargets();
#if HWY_ARCH_X86
    if ((targets & (HWY_AVX3 | HWY_AVX3_DL)) != 0) return "AVX-512";
#endif
    return hwy::TargetName(targets & -targets);
}

}  // namespace reelbrush::kernels
