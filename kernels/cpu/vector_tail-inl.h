// Loads and stores of fewer lanes than a vector has. Compiled once per target, as Highway's own headers are.

#if defined(REELBRUSH_KERNELS_CPU_VECTOR_TAIL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef REELBRUSH_KERNELS_CPU_VECTOR_TAIL_INL_H
#undef REELBRUSH_KERNELS_CPU_VECTOR_TAIL_INL_H
#else
#define REELBRUSH_KERNELS_CPU_VECTOR_TAIL_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The first `count` lanes from memory, zeros in the others; touches nothing behind them. 0 < count <= lanes.
template <class D>
HWY_INLINE hn::Vec<D> loadFirst(D d, const float* from, std::size_t count) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
    HWY_ALIGN float lanes[hn::MaxLanes(d)] = {};
    for (std::size_t i = 0; i < count; ++i) lanes[i] = from[i];
    return hn::Load(d, lanes);
#endif
}

/// The first `count` lanes to memory; nothing behind them is touched. 0 < count <= lanes.
template <class D>
HWY_INLINE void storeFirst(hn::Vec<D> v, D d, float* to, std::size_t count) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
    HWY_ALIGN float lanes[hn::MaxLanes(d)];
    hn::Store(v, d, lanes);
    for (std::size_t i = 0; i < count; ++i) to[i] = lanes[i];
#endif
}

/// y[i] = f(x[i]) for a run of floats; x and y may be the same.
template <class F>
HWY_INLINE void mapRun(const float* x, float* y, std::size_t count, const F& f) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
        const auto a = f(d, hn::LoadU(d, x + i));
        const auto b = f(d, hn::LoadU(d, x + i + lanes));
        const auto c = f(d, hn::LoadU(d, x + i + 2 * lanes));
        const auto e = f(d, hn::LoadU(d, x + i + 3 * lanes));
        hn::StoreU(a, d, y + i);
        hn::StoreU(b, d, y + i + lanes);
        hn::StoreU(c, d, y + i + 2 * lanes);
        hn::StoreU(e, d, y + i + 3 * lanes);
    }
    for (; i + lanes <= count; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i)), d, y + i);
    if (i < count) storeFirst(f(d, loadFirst(d, x + i, count - i)), d, y + i, count - i);
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
