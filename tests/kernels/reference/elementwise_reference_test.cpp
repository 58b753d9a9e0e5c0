#include "tests/kernels/reference/reference_case.h"

namespace reelbrush::kernels {
namespace {

// Values of the non-linearities at 1 and -2, from tables.
TEST(ActivationReference, KnownValues) {
    const TestTensor x{{3}, {0, 1, -2}};
    expectReference({ActivationOp{Activation::None}, {x}, {}}, {{3}, {0, 1, -2}});
    expectReference({ActivationOp{Activation::Relu}, {x}, {}}, {{3}, {0, 1, 0}});
    expectReference({ActivationOp{Activation::Silu}, {x}, {}}, {{3}, {0, 0.73105858f, -0.23840584f}});
    expectReference({ActivationOp{Activation::Gelu}, {x}, {}}, {{3}, {0, 0.84134475f, -0.04550026f}});
    expectReference({ActivationOp{Activation::GeluTanh}, {x}, {}}, {{3}, {0, 0.84119199f, -0.04540231f}});
    expectReference({ActivationOp{Activation::QuickGelu}, {x}, {}}, {{3}, {0, 0.84579577f, -0.06434138f}});
}

TEST(GegluReference, ValueFirstThenGate) {
    expectReference({Geglu{}, {{{1, 4}, {3, 5, 1, -2}}}, {}}, {{1, 2}, {3 * 0.84134475f, 5 * -0.04550026f}});
}

TEST(AddReference, RepeatsABatchOfOne) {
    expectReference({Add{}, {{{2, 1, 2}, {1, 2, 3, 4}}, {{1, 1, 2}, {10, 20}}}, {}}, {{2, 1, 2}, {11, 22, 13, 24}});
    expectReference({Add{}, {{{2, 1, 2}, {1, 2, 3, 4}}, {{2, 1, 2}, {10, 20, 30, 40}}}, {}},
                    {{2, 1, 2}, {11, 22, 33, 44}});
}

TEST(AddChannelsReference, OneVectorForEveryPixelOfItsSample) {
    const TestTensor x{{2, 1, 2, 2}, {0, 0, 1, 1, 2, 2, 3, 3}};
    expectReference({AddChannels{}, {x, {{2, 2}, {10, 20, 30, 40}}}, {}},
                    {{2, 1, 2, 2}, {10, 20, 11, 21, 32, 42, 33, 43}});
    expectReference({AddChannels{}, {x, {{1, 2}, {10, 20}}}, {}}, {{2, 1, 2, 2}, {10, 20, 11, 21, 12, 22, 13, 23}});
}

TEST(AffineReference, ScalesThenClamps) {
    expectReference({Affine{0.5f, 0.5f, 0.0f, 1.0f}, {{{4}, {-3, -1, 0, 9}}}, {}}, {{4}, {0, 0, 0.5f, 1}});
}

TEST(ScaleByReference, TakesItsFactorFromTheList) {
    const TestTensor x{{1, 3}, {1, -2, 4}}, factors{{2}, {10, 0.5f}};
    expectReference({ScaleBy{0}, {x, factors}, {}}, {{1, 3}, {10, -20, 40}});
    expectReference({ScaleBy{1}, {x, factors}, {}}, {{1, 3}, {0.5f, -1, 2}});
}

TEST(SoftClampReference, KeepsSmallValuesAndLimitsLargeOnes) {
    expectReference({SoftClamp{3.0f}, {{{3}, {0, 3, -300}}}, {}}, {{3}, {0, 3 * 0.76159416f, -3}});
}

TEST(TimestepEmbeddingReference, FrequenciesFallFromOne) {
    // Two frequencies, 1 and 1/100, of a period of 10000.
    const TestTensor t{{1}, {2}};
    const float c1 = std::cos(2.0f), s1 = std::sin(2.0f), c2 = std::cos(0.02f), s2 = std::sin(0.02f);
    expectReference({TimestepEmbedding{4, true, 0.0f, 10000.0f}, {t}, {}}, {{1, 4}, {c1, c2, s1, s2}});
    expectReference({TimestepEmbedding{4, false, 0.0f, 10000.0f}, {t}, {}}, {{1, 4}, {s1, s2, c1, c2}});
    // Shifted by one, the second is 1/10000.
    expectReference({TimestepEmbedding{4, true, 1.0f, 10000.0f}, {t}, {}},
                    {{1, 4}, {c1, std::cos(0.0002f), s1, std::sin(0.0002f)}});
}

}  // namespace
}  // namespace reelbrush::kernels
