#include "engine/diffusion/networks/ip_adapter.h"

#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/networks/unet_graph.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/ip_adapter.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/plan/joined_weights.h"
#include "kernels/plan/weight_shapes.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace reelbrush::diffusion {
namespace {

constexpr double kTolerance = 2e-5;

/// The golden IP-Adapters on the miniature SD 1.5.
class IpAdapterGolden : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        const auto opened =
            weights::openDiffusionModel(testing::fixturesFolder() / "sd15-tiny/single_file.safetensors");
        ASSERT_TRUE(opened) << opened.error().message;
        model_ = *opened;
        const auto config = UnetConfig::fromJson(model_.unet.config);
        ASSERT_TRUE(config) << config.error().message;
        config_ = *config;
        const auto adapter = weights::openIpAdapter(folder() / (std::string(GetParam()) + ".safetensors"));
        ASSERT_TRUE(adapter) << adapter.error().message;
        adapter_ = *adapter;
    }

    static std::filesystem::path folder() { return testing::fixturesFolder() / "ip-adapter-tiny"; }
    std::string named(const char* tensor) const { return std::string(GetParam()) + "." + tensor; }

    std::vector<float> prediction(float scale, bool styleOnly = false) {
        const std::vector<float> tokens = golden_.values(named("tokens"));
        kernels::Graph graph;
        UnetInputs inputs;
        inputs.latents = graph.input("latents", {1, 8, 16, 4});
        inputs.conditions.timestep = graph.input("timestep", {1});
        inputs.context = graph.input("context", {1, 77, 16});
        const auto in = graph.input("tokens", {1, static_cast<std::int64_t>(tokens.size()) / 16, 16});
        const auto hooks = withIpAdapter({}, graph, config_, in, graph.input("scale", {1}), styleOnly);
        graph.output("out", buildUnet(graph, config_, inputs, hooks));
        const kernels::JoinedWeights weights({model_.unet.weights.get(), adapter_.weights.get()});
        const auto out = runOnce(std::move(graph), weights, backend_,
                                 {{"latents", golden_.image("sample")},
                                  {"timestep", {444}},
                                  {"context", golden_.values("ctx")},
                                  {"tokens", tokens},
                                  {"scale", {scale}}});
        EXPECT_TRUE(out) << out.error().message;
        return out ? out->at("out") : std::vector<float>();
    }

    testing::GoldenTensors golden_{folder() / "golden.safetensors"};
    weights::DiffusionModelFiles model_;
    weights::IpAdapterFiles adapter_;
    UnetConfig config_;
    kernels::CpuBackend backend_{kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32}};
};

TEST_P(IpAdapterGolden, TokensMatchDiffusers) {
    const auto config = ImageProjectionConfig::fromWeights(*adapter_.weights, config_.contextChannels);
    ASSERT_TRUE(config) << config.error().message;
    const auto embeds = golden_.values(named("image_embeds"));
    kernels::Graph graph;
    const auto in = graph.input(
        "embeds", {1, static_cast<std::int64_t>(embeds.size()) / config->embedChannels, config->embedChannels});
    graph.output("tokens", buildImageProjection(graph, *config, in));
    const auto out = runOnce(std::move(graph), *adapter_.weights, backend_, {{"embeds", embeds}});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_LE(testing::agreement("tokens", out->at("tokens"), golden_.values(named("tokens"))).relativeError,
              kTolerance);
}

TEST_P(IpAdapterGolden, PredictionsMatchDiffusers) {
    EXPECT_LE(testing::agreement("s10", prediction(1.0f), golden_.image(named("s10"))).relativeError, kTolerance);
    EXPECT_LE(testing::agreement("s5", prediction(0.5f), golden_.image(named("s5"))).relativeError, kTolerance);
    EXPECT_LE(testing::agreement("none", prediction(0.0f), golden_.image("no_adapter")).relativeError, kTolerance);
}

TEST_P(IpAdapterGolden, StyleOnlyLeavesTheOtherAttentionsAlone) {
    const auto styled = prediction(1.0f, true);
    EXPECT_GT(testing::agreement("style only", styled, golden_.image(named("s10"))).relativeError, kTolerance);
    EXPECT_GT(testing::agreement("style only", styled, golden_.image("no_adapter")).relativeError, kTolerance);
    EXPECT_LE(testing::agreement("off", prediction(0.0f, true), golden_.image("no_adapter")).relativeError, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, IpAdapterGolden, ::testing::Values("base", "plus"),
                         [](const auto& kind) { return std::string(kind.param); });

UnetConfig publishedSd15() {
    UnetConfig config;
    config.levels = {
        {320, 8, 1, true, true}, {640, 8, 1, true, true}, {1280, 8, 1, true, true}, {1280, 8, 1, false, false}};
    return config;
}

UnetConfig publishedSdxl() {
    UnetConfig config;
    config.contextChannels = 2048;
    config.linearProjection = true;
    config.pooledChannels = 1280;
    config.additionTimeChannels = 256;
    config.levels = {{320, 5, 1, false, false}, {640, 10, 2, true, true}, {1280, 20, 10, true, true}};
    return config;
}

/// How many of the adapter's weights the UNet reads.
std::size_t adapterWeights(const UnetConfig& config, bool styleOnly) {
    kernels::Graph graph;
    UnetInputs inputs;
    inputs.latents = graph.input("latents", {1, 16, 16, 4});
    inputs.conditions.timestep = graph.input("timestep", {1});
    if (config.pooledChannels > 0) {
        inputs.conditions.pooled = graph.input("pooled", {1, config.pooledChannels});
        inputs.conditions.timeIds = graph.input("timeIds", {1, 6});
    }
    inputs.context = graph.input("context", {1, 77, config.contextChannels});
    const auto tokens = graph.input("tokens", {1, 16, config.contextChannels});
    const auto hooks = withIpAdapter({}, graph, config, tokens, graph.input("scale", {1}), styleOnly);
    graph.output("out", buildUnet(graph, config, inputs, hooks));
    EXPECT_TRUE(graph.status()) << graph.status().error().message;
    return static_cast<std::size_t>(std::ranges::count_if(
        kernels::weightsOf(graph), [](const auto& weight) { return weight.name.starts_with("ip_adapter."); }));
}

/// Keys and values of 16 and 70 attentions; of style alone three in SD 1.5, ten in SDXL.
TEST(IpAdapter, ReachesTheAttentionsOfFullSizeModels) {
    EXPECT_EQ(adapterWeights(publishedSd15(), false), 2u * 16);
    EXPECT_EQ(adapterWeights(publishedSdxl(), false), 2u * 70);
    EXPECT_EQ(adapterWeights(publishedSd15(), true), 2u * 3);
    EXPECT_EQ(adapterWeights(publishedSdxl(), true), 2u * 10);
}

TEST(IpAdapter, NumbersAttentionsAsPublishedForBothFamilies) {
    const auto names = numberedCrossAttentions(publishedSd15());
    ASSERT_EQ(names.size(), 16u);
    EXPECT_EQ(names[0], "down_blocks.0.attentions.0.transformer_blocks.0.attn2");
    EXPECT_EQ(names[6], "up_blocks.1.attentions.0.transformer_blocks.0.attn2");
    EXPECT_EQ(names[15], "mid_block.attentions.0.transformer_blocks.0.attn2");
    EXPECT_EQ(numberedCrossAttentions(publishedSdxl()).size(), 70u);
}

}  // namespace
}  // namespace reelbrush::diffusion
