#include "engine/diffusion/networks/unet_graph.h"

#include "engine/diffusion/networks/run_once.h"
#include "engine/weights/diffusion_model.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <fstream>

namespace reelbrush::diffusion {
namespace {

constexpr double kTolerance = 2e-5;

kernels::CpuBackend floatBackend() {
    return kernels::CpuBackend(kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32});
}

/// The SD 1.5 layout in miniature: two prompts and two timesteps in one batch.
TEST(UnetGraph, MatchesDiffusersOnTheStableDiffusionLayout) {
    const auto folder = testing::fixturesFolder() / "sd15-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto model = weights::openDiffusionModel(folder / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const auto config = UnetConfig::fromJson(model->unet.config);
    ASSERT_TRUE(config) << config.error().message;

    kernels::Graph graph;
    UnetInputs inputs;
    inputs.latents = graph.input("latents", {2, 8, 16, 4});
    inputs.conditions.timestep = graph.input("timestep", {2});
    inputs.context = graph.input("context", {2, 77, 16});
    graph.output("out", buildUnet(graph, *config, inputs));
    auto backend = floatBackend();
    const auto out = runOnce(std::move(graph), *model->unet.weights, backend,
                             {{"latents", golden.image("unet.sample")},
                              {"timestep", golden.values("unet.t")},
                              {"context", golden.values("text.last_hidden_state")}});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_LE(testing::agreement("unet.out", out->at("out"), golden.image("unet.out")).relativeError, kTolerance);
}

TEST(UnetGraph, MatchesDiffusersAtAnotherSize) {
    const auto folder = testing::fixturesFolder() / "sd15-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto model = weights::openDiffusionModel(folder / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const auto config = UnetConfig::fromJson(model->unet.config);
    ASSERT_TRUE(config) << config.error().message;

    kernels::Graph graph;
    UnetInputs inputs;
    inputs.latents = graph.input("latents", {1, 16, 24, 4});
    inputs.conditions.timestep = graph.input("timestep", {1});
    inputs.context = graph.input("context", {1, 77, 16});
    graph.output("out", buildUnet(graph, *config, inputs));
    auto backend = floatBackend();
    auto context = golden.values("text.last_hidden_state");
    context.resize(77 * 16);
    const auto out = runOnce(std::move(graph), *model->unet.weights, backend,
                             {{"latents", golden.image("unet2.sample")}, {"timestep", {500}}, {"context", context}});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_LE(testing::agreement("unet2.out", out->at("out"), golden.image("unet2.out")).relativeError, kTolerance);
}

/// Depths 1, 2 and 3, two text encoders, pooled text and sizes.
TEST(UnetGraph, MatchesDiffusersOnTheSdxlLayout) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "sdxl-tiny is not in the repository";
    const auto folder = *shared / "fixtures" / "sdxl-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    std::ifstream file(folder / "configs" / "unet" / "config.json");
    weights::OpenModelOptions options;
    options.configOverrides["unet"]["attention_head_dim"] = nlohmann::json::parse(file)["attention_head_dim"];
    const auto model = weights::openDiffusionModel(folder / "single_file.safetensors", options);
    ASSERT_TRUE(model) << model.error().message;
    const auto config = UnetConfig::fromJson(model->unet.config);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->pooledChannels, 16);

    kernels::Graph graph;
    UnetInputs inputs;
    inputs.latents = graph.input("latents", {2, 8, 12, 4});
    inputs.conditions.timestep = graph.input("timestep", {2});
    inputs.conditions.pooled = graph.input("pooled", {2, 16});
    inputs.conditions.timeIds = graph.input("timeIds", {2, 6});
    inputs.context = graph.input("context", {2, 77, 32});
    graph.output("out", buildUnet(graph, *config, inputs));

    const auto first = golden.values("text1.penultimate"), second = golden.values("text2.penultimate");
    std::vector<float> context;
    for (std::size_t token = 0; token < 2 * 77; ++token)
        for (const auto* half : {&first, &second})
            context.insert(context.end(), half->begin() + static_cast<std::ptrdiff_t>(token * 16),
                           half->begin() + static_cast<std::ptrdiff_t>(token * 16 + 16));
    auto backend = floatBackend();
    const auto out = runOnce(std::move(graph), *model->unet.weights, backend,
                             {{"latents", golden.image("sample")},
                              {"timestep", {801, 12}},
                              {"pooled", golden.values("text2.pooled")},
                              {"timeIds", golden.values("time_ids")},
                              {"context", context}});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_LE(testing::agreement("sdxl out", out->at("out"), golden.image("out")).relativeError, kTolerance);
}

TEST(UnetGraph, OneFrameForBothHalvesOfGuidanceIsTheSameAsTwo) {
    const auto folder = testing::fixturesFolder() / "sd15-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto model = weights::openDiffusionModel(folder / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const auto config = UnetConfig::fromJson(model->unet.config);
    ASSERT_TRUE(config);
    auto backend = floatBackend();
    auto frame = golden.image("unet.sample");
    frame.resize(frame.size() / 2);
    const auto paint = [&](int batch, std::vector<float> latents) {
        kernels::Graph graph;
        UnetInputs inputs;
        inputs.latents = graph.input("latents", {batch, 8, 16, 4});
        inputs.conditions.timestep = graph.input("timestep", {1});
        inputs.context = graph.input("context", {2, 77, 16});
        graph.output("out", buildUnet(graph, *config, inputs));
        return runOnce(std::move(graph), *model->unet.weights, backend,
                       {{"latents", std::move(latents)},
                        {"timestep", {500}},
                        {"context", golden.values("text.last_hidden_state")}});
    };
    auto twice = frame;
    twice.insert(twice.end(), frame.begin(), frame.end());
    const auto one = paint(1, frame), two = paint(2, twice);
    ASSERT_TRUE(one) << one.error().message;
    ASSERT_TRUE(two) << two.error().message;
    EXPECT_LE(testing::agreement("shared", one->at("out"), two->at("out")).relativeError, 1e-6);
}

}  // namespace
}  // namespace reelbrush::diffusion
