#include "engine/diffusion/sampling/cephes_float.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace reelbrush::diffusion {

namespace {

// ln 2 in two parts: the first has so few digits that multiples of it are exact.
constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
constexpr float kSqrtHalf = 0.707106781186547524f;
// Of (ln(1 + x) - x + x^2 / 2) / x^3, highest power first.
constexpr std::array kLog{7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,  -1.2420140846e-1f, 1.4249322787e-1f,
                          -1.6668057665e-1f, 2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
constexpr std::array kCosine{2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
constexpr std::array kSine{-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
constexpr float kFourOverPi = 1.27323954473516f;
// pi / 4 in three parts.
constexpr std::array kQuarterPi{0.78515625f, 2.4187564849853515625e-4f, 3.77489497744594108e-8f};

/// Horner's rule, fused.
template <std::size_t N>
float polynomial(const std::array<float, N>& coefficients, float x) {
    float sum = coefficients[0];
    for (std::size_t i = 1; i < N; ++i) sum = std::fma(sum, x, coefficients[i]);
    return sum;
}

}  // namespace

float cephesLog(float x) {
    int exponent = 0;
    float rest = std::frexp(std::max(x, std::numeric_limits<float>::min()), &exponent);  // in [0.5, 1)
    auto power = static_cast<float>(exponent);
    if (rest < kSqrtHalf) {
        rest = (rest - 1.0f) + rest;
        power -= 1.0f;
    } else {
        rest -= 1.0f;
    }
    const float square = rest * rest;
    float correction = polynomial(kLog, rest) * rest;
    correction = std::fma(correction, square, power * kLn2Low);
    correction = std::fma(square, -0.5f, correction);
    return std::fma(power, kLn2High, rest + correction);
}

SineCosine cephesSineCosine(float x) {
    const float size = std::fabs(x);
    const int octant = (static_cast<int>(size * kFourOverPi) + 1) & ~1;  // the even one that is nearest
    const auto turns = static_cast<float>(octant);
    float rest = size;
    for (const float part : kQuarterPi) rest = std::fma(turns, -part, rest);
    const float square = rest * rest;
    float cosine = polynomial(kCosine, square) * square;
    cosine = std::fma(cosine, square, -(square * 0.5f)) + 1.0f;
    const float sine = std::fma(polynomial(kSine, square) * square, rest, rest);
    const bool swaps = (octant & 2) != 0;
    const bool flipsSine = ((octant & 4) != 0) != std::signbit(x);
    const bool flipsCosine = ((octant - 2) & 4) == 0;
    SineCosine result{swaps ? cosine : sine, swaps ? sine : cosine};
    if (flipsSine) result.sine = -result.sine;
    if (flipsCosine) result.cosine = -result.cosine;
    return result;
}

}  // namespace reelbrush::diffusion
