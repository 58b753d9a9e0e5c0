#include "tests/kernels/cpu/simd_conformance.h"

#include <fmt/format.h>

namespace reelbrush::kernels {
namespace {

constexpr double kTolerance = 1e-6;
/// Where a single small value is the whole range, the absolute error of tanh and erf shows.
constexpr double kSmallValueTolerance = 5e-6;

class ElementwiseConformance : public SimdConformance {};
REELBRUSH_SIMD_LIMITS(ElementwiseConformance);

TEST_P(ElementwiseConformance, ActivationsOverTheirWholeRange) {
    TestTensor wide = randomTensor({1, 999, 7}, 1, -120.0f, 120.0f);
    wide.values[0] = 0.0f;
    wide.values[1] = 1e30f;
    wide.values[2] = -1e30f;
    for (const Activation kind : {Activation::None, Activation::Relu, Activation::Silu, Activation::Gelu,
                                  Activation::GeluTanh, Activation::QuickGelu}) {
        const std::string label = fmt::format("activation {}", static_cast<int>(kind));
        expectConforms(label + " near zero", {ActivationOp{kind}, {normalTensor({2, 5, 3, 7}, 2, 0.0f, 2.0f)}, {}},
                       kTolerance);
        TestTensor moderate = wide;
        moderate.values[1] = moderate.values[2] = 0.0f;
        expectConforms(label + " to 120", {ActivationOp{kind}, {moderate}, {}}, kTolerance);
        if (kind != Activation::GeluTanh) {
            expectConforms(label + " to 1e30", {ActivationOp{kind}, {wide}, {}}, kTolerance);
        }
    }
}

TEST_P(ElementwiseConformance, EveryLength) {
    for (const std::int64_t count : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 40000}) {
        expectConforms(fmt::format("silu of {}", count),
                       {ActivationOp{Activation::Silu}, {normalTensor({count}, 3)}, {}}, kTolerance);
        expectConforms(fmt::format("soft clamp of {}", count),
                       {SoftClamp{3.0f}, {normalTensor({count}, 4, 0.0f, 4.0f)}, {}}, kSmallValueTolerance);
        expectConforms(fmt::format("affine of {}", count),
                       {Affine{0.5f, 0.5f, 0.0f, 1.0f}, {normalTensor({count}, 5, 0.0f, 2.0f)}, {}}, kTolerance);
        expectConforms(fmt::format("add of {}", count),
                       {Add{}, {normalTensor({count}, 6), normalTensor({count}, 7)}, {}}, kTolerance);
    }
}

TEST_P(ElementwiseConformance, ScaleByAnyOfTheFactors) {
    const TestTensor factors{{3}, {0.0f, -1.5f, 0.3f}};
    for (const int index : {0, 1, 2})
        for (const std::int64_t count : {1, 15, 17, 64, 40000})
            expectConforms(fmt::format("{} values by factor {}", count, index),
                           {ScaleBy{index}, {normalTensor({count}, 8), factors}, {}}, kTolerance);
}

TEST_P(ElementwiseConformance, AffineWithoutBounds) {
    expectConforms("2x - 1", {Affine{2.0f, -1.0f}, {normalTensor({1, 9, 9, 3}, 8)}, {}}, kTolerance);
}

TEST_P(ElementwiseConformance, AddRepeatsABatchOfOne) {
    for (const Shape& shape : {Shape{3, 5, 7, 3}, Shape{2, 77, 13}, Shape{2, 64, 64, 32}}) {
        Shape single = shape;
        single[0] = 1;
        expectConforms(shape.toString(), {Add{}, {normalTensor(shape, 1), normalTensor(single, 2)}, {}}, kTolerance);
    }
}

TEST_P(ElementwiseConformance, AddChannelsOfOneOrOfEverySample) {
    for (const std::int64_t channels : {1, 3, 16, 33, 320})
        for (const std::int64_t batch : {1, 2}) {
            expectConforms(
                fmt::format("{} channels, batch {}", channels, batch),
                {AddChannels{}, {normalTensor({2, 5, 6, channels}, 1), normalTensor({batch, channels}, 2)}, {}},
                kTolerance);
            expectConforms(fmt::format("{} channels of tokens, batch {}", channels, batch),
                           {AddChannels{}, {normalTensor({2, 1, channels}, 1), normalTensor({batch, channels}, 2)}, {}},
                           kTolerance);
        }
}

TEST_P(ElementwiseConformance, Geglu) {
    for (const std::int64_t channels : {1, 3, 16, 17, 64, 100, 1280})
        for (const Shape& shape : {Shape{1, 1, 2 * channels}, Shape{2, 21, 2 * channels}})
            expectConforms(shape.toString(), {reelbrush::kernels::Geglu{}, {normalTensor(shape, 1, 0.0f, 3.0f)}, {}},
                           kSmallValueTolerance);
}

TEST_P(ElementwiseConformance, TimestepEmbedding) {
    const TestTensor steps{{4}, {0.0f, 1.0f, 499.5f, 999.0f}};
    for (const int channels : {2, 6, 128, 320})
        for (const bool cosineFirst : {false, true})
            for (const float shift : {0.0f, 1.0f}) {
                if (channels == 2 && shift == 1.0f) continue;  // divides by zero, by definition
                expectConforms(fmt::format("{} channels", channels),
                               {TimestepEmbedding{channels, cosineFirst, shift, 10000.0f}, {steps}, {}}, kTolerance);
            }
}

}  // namespace
}  // namespace reelbrush::kernels
