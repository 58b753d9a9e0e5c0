#pragma once

#include "kernels/ops/activation.h"

#include <type_traits>

namespace reelbrush::kernels {

/// The non-linearities of kernels/ops/activation.h on a device, in f32. Quotients are within 2 units of the last place;
/// where a divisor is too large for that they are 0, as they should be.
template <Activation kind>
__device__ inline float activate(float x) {
    if constexpr (kind == Activation::Relu)
        return fmaxf(x, 0.0f);
    else if constexpr (kind == Activation::Silu)
        return __fdividef(x, 1.0f + __expf(-x));
    else if constexpr (kind == Activation::Gelu)
        return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
    else if constexpr (kind == Activation::GeluTanh)
        return 0.5f * x * (1.0f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
    else if constexpr (kind == Activation::QuickGelu)
        return __fdividef(x, 1.0f + __expf(-1.702f * x));
    else
        return x;
}

/// Calls `work` with the activation as a compile-time constant: work(std::integral_constant<Activation, kind>{}).
template <typename Work>
decltype(auto) withActivation(Activation kind, Work&& work) {
    switch (kind) {
        case Activation::Relu:
            return work(std::integral_constant<Activation, Activation::Relu>{});
        case Activation::Silu:
            return work(std::integral_constant<Activation, Activation::Silu>{});
        case Activation::Gelu:
            return work(std::integral_constant<Activation, Activation::Gelu>{});
        case Activation::GeluTanh:
            return work(std::integral_constant<Activation, Activation::GeluTanh>{});
        case Activation::QuickGelu:
            return work(std::integral_constant<Activation, Activation::QuickGelu>{});
        case Activation::None:
            break;
    }
    return work(std::integral_constant<Activation, Activation::None>{});
}

}  // namespace reelbrush::kernels
