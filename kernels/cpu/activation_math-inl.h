// The non-linearities of kernels/ops/activation.h as function objects, so that loops are compiled once for each.

#if defined(REELBRUSH_KERNELS_CPU_ACTIVATION_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef REELBRUSH_KERNELS_CPU_ACTIVATION_MATH_INL_H
#undef REELBRUSH_KERNELS_CPU_ACTIVATION_MATH_INL_H
#else
#define REELBRUSH_KERNELS_CPU_ACTIVATION_MATH_INL_H
#endif

#include "kernels/cpu/vector_math-inl.h"
#include "kernels/ops/activation.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

struct Identity {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V operator()(D, V x) const {
        return x;
    }
};

struct Relu {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V operator()(D d, V x) const {
        return hn::Max(hn::Zero(d), x);
    }
};

struct Silu {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V operator()(D d, V x) const {
        return hn::Mul(x, sigmoidOf(d, x));
    }
};

struct Gelu {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V operator()(D d, V x) const {
        return geluOf(d, x);
    }
};

/// 0.5 (1 + tanh(u)) is sigmoid(2u); 2 sqrt(2 / pi) = 1.5957691.
struct GeluTanh {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V operator()(D d, V x) const {
        const V cubic = hn::MulAdd(hn::Mul(x, x), hn::Set(d, 0.044715f * 1.5957691f), hn::Set(d, 1.5957691f));
        return hn::Mul(x, sigmoidOf(d, hn::Mul(x, cubic)));
    }
};

struct QuickGelu {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V operator()(D d, V x) const {
        return hn::Mul(x, sigmoidOf(d, hn::Mul(x, hn::Set(d, 1.702f))));
    }
};

/// Calls use with the function object of an activation.
template <class Use>
HWY_INLINE void withActivation(Activation kind, const Use& use) {
    switch (kind) {
        case Activation::None:
            return use(Identity{});
        case Activation::Relu:
            return use(Relu{});
        case Activation::Silu:
            return use(Silu{});
        case Activation::Gelu:
            return use(Gelu{});
        case Activation::GeluTanh:
            return use(GeluTanh{});
        case Activation::QuickGelu:
            return use(QuickGelu{});
    }
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
