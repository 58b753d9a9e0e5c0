#include "tests/kernels/cuda/cuda_conformance.h"

namespace reelbrush::kernels {
namespace {

using ArrangeCuda = CudaConformance;

std::vector<TestTensor> tensors(const std::vector<Shape>& shapes) {
    std::vector<TestTensor> result;
    for (const Shape& shape : shapes) result.push_back(normalTensor(shape, 20 + result.size()));
    return result;
}

TEST_F(ArrangeCuda, Channels) {
    expectConforms({ConcatChannels{}, tensors({{1, 4, 5, 8}, {1, 4, 5, 16}}), {}});
    expectConforms({ConcatChannels{}, tensors({{2, 3, 3, 320}, {2, 3, 3, 640}}), {}});
    expectConforms({ConcatChannels{}, tensors({{2, 3, 3, 4}, {2, 3, 3, 5}, {2, 3, 3, 3}}), {}});
    expectConforms({ConcatChannels{}, tensors({{2, 3, 4, 4}, {1, 3, 4, 5}}), {}});
    expectConforms({ConcatChannels{}, tensors({{1, 3, 4, 8}, {3, 3, 4, 16}}), {}});
    expectConforms({ConcatChannels{}, tensors(std::vector<Shape>(11, Shape{2, 2, 2, 8})), {}});
}

TEST_F(ArrangeCuda, ChannelsOfSharedSamples) {
    expectConforms({ConcatChannels{}, tensors({{2, 5, 7, 3}, {1, 5, 7, 16}, {2, 5, 7, 1}}), {}});
    expectConforms({ConcatChannels{}, tensors({{1, 9, 4}, {3, 9, 5}}), {}});
    expectConforms({ConcatChannels{}, tensors({{16, 8, 8, 32}, {1, 8, 8, 64}}), {}});
    expectConforms({ConcatChannels{}, tensors({{2, 4}, {2, 5}}), {}});
    expectConforms({ConcatChannels{}, tensors({{1, 8}, {3, 16}}), {}});
    expectConforms({ConcatChannels{}, tensors({{2, 4, 3}}), {}});
    expectConforms({ConcatChannels{}, tensors({{2, 64, 64, 33}, {2, 64, 64, 31}}), {}});
    std::vector<Shape> many(11, Shape{3, 2, 2, 8});
    many[2] = many[9] = Shape{1, 2, 2, 16};
    expectConforms({ConcatChannels{}, tensors(many), {}});
}

TEST_F(ArrangeCuda, TokensAndBatches) {
    expectConforms({ConcatTokens{}, tensors({{2, 77, 8}, {2, 4, 8}}), {}});
    expectConforms({ConcatTokens{}, tensors({{1, 1, 24}, {2, 9, 24}}), {}});
    expectConforms({ConcatTokens{}, tensors({{1, 3, 5}, {3, 2, 5}, {1, 1, 5}}), {}});
    expectConforms({RepeatBatch{3}, tensors({{1, 4, 4, 8}}), {}});
    expectConforms({RepeatBatch{2}, tensors({{1, 5, 3}}), {}});
    expectConforms({SliceBatch{1, 2}, tensors({{4, 3, 5}}), {}});
    expectConforms({SliceBatch{0, 1}, tensors({{2, 4, 4, 32}}), {}});
    expectConforms({ConcatBatch{}, tensors({{1, 3, 5}, {2, 3, 5}}), {}});
    expectConforms({ConcatBatch{}, tensors({{2, 4, 4, 8}, {1, 4, 4, 8}}), {}});
}

TEST_F(ArrangeCuda, Axes) {
    for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{2, 6, 1, 5}, Shape{1, 2, 3, 4}, Shape{2, 16, 9, 40},
                               Shape{3, 5, 7, 3}, Shape{2, 16, 256, 8}})
        expectConforms({SwapAxes{}, tensors({shape}), {}});
}

TEST_F(ArrangeCuda, Constants) {
    MemoryWeights weights;
    weights.add("value", normalTensor({1, 77, 24}, 5));
    expectConforms({Constant{{1, 77, 24}}, {}, {"value"}}, weights);
}

TEST_F(ArrangeCuda, Resampling) {
    expectConforms({UpsampleNearest{8, 12}, tensors({{2, 4, 6, 16}}), {}});
    expectConforms({UpsampleNearest{7, 5}, tensors({{1, 3, 2, 5}}), {}});
    expectConforms({UpsampleNearest{1, 1}, tensors({{1, 3, 2, 8}}), {}});
    expectConforms({UpsampleNearest{2, 2}, tensors({{1, 1, 1, 5}}), {}});
    for (const std::int64_t channels : {1, 3, 16, 33})
        expectConforms({UpsampleNearest{15, 20}, tensors({{2, 7, 9, channels}}), {}});
    for (const int factor : {1, 2, 3, 8}) {
        expectConforms({PixelUnshuffle{factor}, tensors({{2, 2 * factor, 3 * factor, 3}}), {}});
        expectConforms({PixelShuffle{factor}, tensors({{2, 3, 2, 3 * factor * factor}}), {}});
    }
}

}  // namespace
}  // namespace reelbrush::kernels
