#include "engine/diffusion/networks/tiny_autoencoder.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/plan/plan.h"
#include "kernels/tensor/buffer.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace reelbrush::diffusion {
namespace {

TEST(TinyAutoencoder, EncodesAndDecodesLikeDiffusers) {
    const auto folder = testing::fixturesFolder() / "taesd-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto weights = weights::ModelWeights::open(folder / "diffusion_pytorch_model.safetensors");
    ASSERT_TRUE(weights) << weights.error().message;
    std::ifstream file(folder / "config.json");
    const auto config = TinyAutoencoderConfig::fromJson(nlohmann::json::parse(file));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->reduction(), 8);

    kernels::Graph graph;
    const auto picture = graph.input("picture", {1, 64, 96, 3});
    // diffusers' module takes [-1,1]: the golden picture is in its range.
    const auto scaled = graph.add(kernels::Affine{.scale = 0.5f, .offset = 0.5f}, {picture});
    const auto latents = buildTinyEncoder(graph, *config, scaled);
    graph.output("latents", latents);
    const auto decoded = buildTinyDecoder(graph, *config, latents);
    graph.output("decoded", graph.add(kernels::Affine{.scale = 2.0f, .offset = -1.0f}, {decoded}));

    kernels::CpuBackend backend(kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32});
    auto plan = kernels::Plan::compile(std::move(graph), **weights, backend);
    ASSERT_TRUE(plan) << plan.error().message;
    auto arena = kernels::Buffer::allocate(plan->arenaBytes(), nullptr, "test");
    ASSERT_TRUE(arena);
    ASSERT_TRUE(plan->bind({arena->data(), arena->sizeBytes()}));
    std::ranges::copy(golden.image("image"), plan->input("picture").begin());
    ASSERT_TRUE(plan->run());
    EXPECT_LE(testing::agreement("latents", plan->output("latents"), golden.image("latents")).relativeError, 2e-4);
    EXPECT_LE(testing::agreement("decoded", plan->output("decoded"), golden.image("decoded")).relativeError, 2e-4);
}

}  // namespace
}  // namespace reelbrush::diffusion
