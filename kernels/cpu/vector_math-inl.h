// Exponentials and what is made of them, for vectors of floats. Compiled once per target, as Highway's own headers are.
// Errors below were measured against double arithmetic over the whole range (vector_math_test.cpp).

#if defined(REELBRUSH_KERNELS_CPU_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef REELBRUSH_KERNELS_CPU_VECTOR_MATH_INL_H
#undef REELBRUSH_KERNELS_CPU_VECTOR_MATH_INL_H
#else
#define REELBRUSH_KERNELS_CPU_VECTOR_MATH_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// 2^whole * 2^fraction, where shifted = whole + 1.5 * 2^23 carries the whole part in its lowest bits and
/// |fraction| <= 0.5. The polynomial is the minimax one of degree 6 that is exact at 0; relative error 8e-8.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V scaleByPowerOfTwo(D d, V shifted, V fraction) {
    const hn::RebindToSigned<D> di;
    V p = hn::Set(d, 0.00015594677824992687f);
    p = hn::MulAdd(p, fraction, hn::Set(d, 0.0013406643411144614f));
    p = hn::MulAdd(p, fraction, hn::Set(d, 0.009617692790925503f));
    p = hn::MulAdd(p, fraction, hn::Set(d, 0.055503103882074356f));
    p = hn::MulAdd(p, fraction, hn::Set(d, 0.24022652208805084f));
    p = hn::MulAdd(p, fraction, hn::Set(d, 0.6931472420692444f));
    p = hn::MulAdd(p, fraction, hn::Set(d, 1.0f));
    return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
}

/// Adding and taking away this rounds to a whole number, to nearest even.
constexpr float kRoundingShift = 12582912.0f;

/// 2^x for x <= 127; below -126 it stays at 2^-126. NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2Below(D d, V x) {
    x = hn::Max(hn::Set(d, -126.0f), x);
    const V shifted = hn::Add(x, hn::Set(d, kRoundingShift));
    return scaleByPowerOfTwo(d, shifted, hn::Sub(x, hn::Sub(shifted, hn::Set(d, kRoundingShift))));
}

/// e^x, clamped to [-87, 87]. The exponent's rounding error is made good (log2 e in two parts), which keeps the
/// relative error at 1e-7; without fused multiply-add (SSE4) it grows to 3e-6 towards the ends.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expOf(D d, V x) {
    x = hn::Min(hn::Set(d, 87.0f), hn::Max(hn::Set(d, -87.0f), x));
    const V log2e = hn::Set(d, 1.44269502f), log2eRest = hn::Set(d, 1.92596299e-8f);
    const V shifted = hn::MulAdd(x, log2e, hn::Set(d, kRoundingShift));
    const V whole = hn::Sub(shifted, hn::Set(d, kRoundingShift));
    return scaleByPowerOfTwo(d, shifted, hn::MulAdd(x, log2eRest, hn::MulSub(x, log2e, whole)));
}

/// 1 / x for normal x whose inverse is normal: the processor's estimate and one step of Newton's, two where the
/// estimate has but 8 bits.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V inverse(D d, V x) {
    const V two = hn::Set(d, 2.0f);
    V r = hn::ApproximateReciprocal(x);
    r = hn::Mul(r, hn::NegMulAdd(x, r, two));
#if !HWY_ARCH_X86
    r = hn::Mul(r, hn::NegMulAdd(x, r, two));
#endif
    return r;
}

/// 1 / (1 + e^-x). Relative error 2e-7, absolute error 2e-7 in SSE4 too.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoidOf(D d, V x) {
    return inverse(d, hn::Add(hn::Set(d, 1.0f), expOf(d, hn::Neg(x))));
}

/// tanh(x) = 2 sigmoid(2x) - 1. Absolute error 4e-7.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanhOf(D d, V x) {
    return hn::MulSub(hn::Set(d, 2.0f), sigmoidOf(d, hn::Add(x, x)), hn::Set(d, 1.0f));
}

/// x * Phi(x), the exact GELU, from 1 - erf by formula 7.1.26 of Abramowitz and Stegun 1964 (C. Hastings), whose
/// error is at most 1.5e-7. Written for |x| so that both tails go to their limits. Absolute error 4e-7.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V geluOf(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    const V z = hn::Mul(hn::Abs(x), hn::Set(d, 0.70710678f));
    const V t = inverse(d, hn::MulAdd(z, hn::Set(d, 0.3275911f), one));
    V p = hn::Set(d, 1.061405429f);
    p = hn::MulAdd(p, t, hn::Set(d, -1.453152027f));
    p = hn::MulAdd(p, t, hn::Set(d, 1.421413741f));
    p = hn::MulAdd(p, t, hn::Set(d, -0.284496736f));
    p = hn::MulAdd(p, t, hn::Set(d, 0.254829592f));
    const V erfc = hn::Mul(hn::Mul(p, t), expOf(d, hn::Neg(hn::Mul(z, z))));
    return hn::NegMulAdd(hn::Mul(hn::Abs(x), hn::Set(d, 0.5f)), erfc, hn::Max(x, hn::Zero(d)));
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
