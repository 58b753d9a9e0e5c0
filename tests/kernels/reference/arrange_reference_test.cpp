#include "tests/kernels/reference/reference_case.h"

namespace reelbrush::kernels {
namespace {

TEST(ConcatReference, Channels) {
    const TestTensor a{{2, 1, 2, 1}, {1, 2, 3, 4}}, b{{1, 1, 2, 2}, {10, 11, 20, 21}};
    expectReference({ConcatChannels{}, {a, b}, {}}, {{2, 1, 2, 3}, {1, 10, 11, 2, 20, 21, 3, 10, 11, 4, 20, 21}});
}

TEST(ConcatReference, Tokens) {
    const TestTensor a{{1, 1, 2}, {1, 2}}, b{{2, 2, 2}, {3, 4, 5, 6, 7, 8, 9, 10}};
    expectReference({ConcatTokens{}, {a, b}, {}}, {{2, 3, 2}, {1, 2, 3, 4, 5, 6, 1, 2, 7, 8, 9, 10}});
}

TEST(BatchReference, CutsAndJoins) {
    expectReference({SliceBatch{1, 2}, {{{3, 2}, {1, 2, 3, 4, 5, 6}}}, {}}, {{2, 2}, {3, 4, 5, 6}});
    expectReference({ConcatBatch{}, {{{1, 2}, {1, 2}}, {{2, 2}, {3, 4, 5, 6}}}, {}}, {{3, 2}, {1, 2, 3, 4, 5, 6}});
}

TEST(RepeatBatchReference, Repeats) {
    expectReference({RepeatBatch{3}, {{{1, 2}, {1, 2}}}, {}}, {{3, 2}, {1, 2, 1, 2, 1, 2}});
}

TEST(SwapAxesReference, ExchangesTheMiddle) {
    const TestTensor x{{1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    expectReference({SwapAxes{}, {x}, {}}, {{1, 3, 2, 2}, {1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, 12}});
}

TEST(ReshapeReference, KeepsTheOrder) {
    expectReference({Reshape{{1, 4}}, {{{1, 2, 2}, {1, 2, 3, 4}}}, {}}, {{1, 4}, {1, 2, 3, 4}});
}

TEST(ConstantReference, GivesTheWeight) {
    MemoryWeights weights;
    weights.add("token", {{3}, {1, 2, 3}});
    expectReference({Constant{{1, 1, 3}}, {}, {"token"}}, {{1, 1, 3}, {1, 2, 3}}, weights);
}

TEST(UpsampleNearestReference, TakesTheFloorOfTheSource) {
    const TestTensor x{{1, 2, 2, 1}, {1, 2, 3, 4}};
    expectReference({UpsampleNearest{4, 4}, {x}, {}}, {{1, 4, 4, 1}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}});
    expectReference({UpsampleNearest{2, 3}, {x}, {}}, {{1, 2, 3, 1}, {1, 1, 2, 3, 3, 4}});
}

TEST(PixelShuffleReference, OrdersChannelsAsPyTorchDoes) {
    // Two channels a and b, 2x2 pixels.
    const TestTensor wide{{1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40}};
    const TestTensor packed{{1, 1, 1, 8}, {1, 2, 3, 4, 10, 20, 30, 40}};
    expectReference({PixelUnshuffle{2}, {wide}, {}}, packed);
    expectReference({PixelShuffle{2}, {packed}, {}}, wide);
}

}  // namespace
}  // namespace reelbrush::kernels
