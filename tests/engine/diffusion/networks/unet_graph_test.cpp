#include "engine/diffusion/networks/unet_graph.h"

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

/// The SD 1.5 layout in miniature: two prompts, two timesteps, one sample at a time.
TEST(UnetGraph, MatchesDiffusersOnTheStableDiffusionLayout) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "the diffusers copy of sd15-tiny is not in the repository";
    const auto folder = *shared / "fixtures" / "sd15-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto weights =
        weights::ModelWeights::open(folder / "diffusers" / "unet" / "diffusion_pytorch_model.safetensors");
    ASSERT_TRUE(weights) << weights.error().message;
    std::ifstream file(folder / "diffusers" / "unet" / "config.json");
    const auto config = UnetConfig::fromJson(nlohmann::json::parse(file));
    ASSERT_TRUE(config) << config.error().message;

    kernels::Graph graph;
    UnetInputs inputs;
    inputs.latents = graph.input("latents", {1, 8, 16, 4});
    inputs.timestep = graph.input("timestep", {1});
    inputs.context = graph.input("context", {1, 77, 16});
    graph.output("out", buildUnet(graph, *config, inputs));
    kernels::CpuBackend backend(kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32});
    auto plan = kernels::Plan::compile(std::move(graph), **weights, backend);
    ASSERT_TRUE(plan) << plan.error().message;
    auto arena = kernels::Buffer::allocate(plan->arenaBytes(), nullptr, "test");
    ASSERT_TRUE(arena);
    ASSERT_TRUE(plan->bind({arena->data(), arena->sizeBytes()}));

    const auto samples = golden.image("unet.sample");
    const auto expected = golden.image("unet.out");
    const auto context = golden.values("text.last_hidden_state");
    const auto timesteps = golden.values("unet.t");
    for (std::size_t n = 0; n < 2; ++n) {
        const auto part = [n](const std::vector<float>& all) {
            return std::span<const float>(all).subspan(n * all.size() / 2, all.size() / 2);
        };
        std::ranges::copy(part(samples), plan->input("latents").begin());
        std::ranges::copy(part(context), plan->input("context").begin());
        plan->input("timestep")[0] = timesteps[n];
        ASSERT_TRUE(plan->run());
        EXPECT_LE(testing::agreement("unet.out", plan->output("out"), part(expected)).relativeError, 2e-4);
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
