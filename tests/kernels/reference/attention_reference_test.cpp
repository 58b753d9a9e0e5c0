#include "tests/kernels/reference/reference_case.h"

namespace reelbrush::kernels {
namespace {

TEST(AttentionReference, WeighsValuesBySoftmax) {
    // Scores 0 and ln 3: weights 1/4 and 3/4.
    const TestTensor q{{1, 1, 1}, {1}}, k{{1, 2, 1}, {0, std::log(3.0f)}}, v{{1, 2, 1}, {4, 8}};
    expectReference({Attention{1, 1, 1.0f, {}}, {q, k, v}, {}}, {{1, 1, 1}, {7}});
}

TEST(AttentionReference, ScalesByTheRootOfTheHeadSize) {
    const float x = std::log(3.0f);
    const TestTensor q{{1, 1, 4}, {2, 0, 0, 0}}, k{{1, 2, 4}, {0, 0, 0, 0, x, 0, 0, 0}},
        v{{1, 2, 4}, {4, 0, 0, 0, 8, 0, 0, 0}};
    expectReference({Attention{1, 4, 0.0f, {}}, {q, k, v}, {}}, {{1, 1, 4}, {7, 0, 0, 0}});
}

TEST(AttentionReference, SegmentsAreOneListOfKeysAndSharedOnesServeTheWholeBatch) {
    const TestTensor q{{2, 1, 1}, {1, 1}}, k{{2, 1, 1}, {0, 0}}, v{{2, 1, 1}, {4, 40}};
    const TestTensor sharedK{{1, 2, 1}, {0, std::log(2.0f)}}, sharedV{{1, 2, 1}, {8, 12}};
    expectReference({Attention{1, 1, 1.0f, {}}, {q, k, v, sharedK, sharedV}, {}},
                    {{2, 1, 1}, {(4 + 8 + 24) / 4.0f, (40 + 8 + 24) / 4.0f}});
}

TEST(AttentionReference, HeadsAndOffsetsPickTheirChannels) {
    // Two heads of one channel; q|k|v of one joint tensor with channels 0-1, 2-3 and 4-5.
    const TestTensor joint{{1, 2, 6}, {0, 1, 0, 0, 1, 10, 0, 1, 5, std::log(3.0f), 3, 20}};
    // First head: q is 0, so both values weigh the same. Second: scores 0 and ln 3.
    expectReference({Attention{2, 1, 1.0f, {0, 2, 4}}, {joint, joint, joint}, {}}, {{1, 2, 2}, {2, 17.5f, 2, 17.5f}});
}

TEST(AttentionReference, CausalQueriesSeeTheKeysUpToTheirOwn) {
    const TestTensor q{{1, 3, 1}, {1, 1, 1}}, k{{1, 3, 1}, {0, 0, 100}}, v{{1, 3, 1}, {4, 8, 1000}};
    Attention op{1, 1, 1.0f, {}};
    op.causal = true;
    expectReference({op, {q, k, v}, {}}, {{1, 3, 1}, {4, 6, 1000}});
}

TEST(AttentionReference, CausalTakesOneSegmentAsLongAsTheQueries) {
    Attention op{1, 4, 0.0f, {}};
    op.causal = true;
    const Shape tokens{1, 3, 4}, other{1, 2, 4};
    EXPECT_TRUE(outputShape(op, std::vector<Shape>{tokens, tokens, tokens}));
    EXPECT_FALSE(outputShape(op, std::vector<Shape>{tokens, other, other}));
    EXPECT_FALSE(outputShape(op, std::vector<Shape>{tokens, tokens, tokens, tokens, tokens}));
}

}  // namespace
}  // namespace reelbrush::kernels
