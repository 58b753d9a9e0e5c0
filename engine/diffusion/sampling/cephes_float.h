#pragma once

namespace reelbrush::diffusion {

struct SineCosine {
    float sine = 0.0f, cosine = 0.0f;
};

/// Single-precision polynomials of the Cephes library (S. Moshier), rounded as PyTorch's x86-64 builds round them: each
/// product fused into the sum that it goes into. Good to about one unit in the last place; here they serve to give the
/// very bits of PyTorch's normal numbers. Thread: any.
/// Source: Cephes, logf and sincosf.

/// Natural logarithm, x from the smallest normal number up; smaller ones count as that.
float cephesLog(float x);

/// x: radians, |x| below about 8192.
SineCosine cephesSineCosine(float x);

}  // namespace reelbrush::diffusion
