#pragma once

#include <string>

namespace reelbrush::kernels {

/// The widest vector instructions that our own kernels may use.
enum class SimdLimit { Sse4, Avx2, Best };

/// Applies REELBRUSH_MAX_SIMD (sse4, avx2; anything else: no limit) the first time it is called; later calls cost
/// nothing. Every kernel's entry calls it. Thread-safe.
void applySimdLimitFromEnvironment();

/// Sets the limit for the whole process from now on, over what the environment says. Not while kernels run.
void setSimdLimit(SimdLimit limit);

/// The limit in force.
SimdLimit simdLimit();

/// What a kernel that is called now uses: "AVX-512", "AVX2", "SSE4".
std::string simdName();

}  // namespace reelbrush::kernels
