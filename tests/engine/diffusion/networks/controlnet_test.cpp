#include "engine/diffusion/networks/controlnet.h"

#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/networks/unet_graph.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/model_part_files.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

constexpr double kTolerance = 2e-5;
constexpr float kStrength = 0.8f;

TEST(ControlNet, ResidualsAndUnetMatchDiffusers) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "controlnet-tiny is not in the repository";
    const auto folder = *shared / "fixtures" / "controlnet-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto files = weights::openControlNet(folder);
    ASSERT_TRUE(files) << files.error().message;
    const auto config = ControlNetConfig::fromJson(files->part.config);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->reduction(), 8);

    kernels::CpuBackend backend(kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32});
    kernels::Graph graph;
    ControlNetInputs inputs;
    inputs.latents = graph.input("latents", {1, 8, 16, 4});
    inputs.picture = graph.input("picture", {1, 64, 128, 3});
    inputs.conditions.timestep = graph.input("timestep", {1});
    inputs.context = graph.input("context", {1, 77, 16});
    const auto residuals = buildControlNet(graph, *config, inputs);
    const auto shapes = controlShapes(config->unet, 8, 16, 1);
    ASSERT_EQ(residuals.size(), 13u);
    ASSERT_EQ(shapes.size(), 13u);
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        EXPECT_EQ(graph.shapeOf(residuals[i]), shapes[i]) << i;
        graph.output(fmt::format("{}", i), residuals[i]);
    }
    auto out = runOnce(std::move(graph), *files->part.weights, backend,
                       {{"latents", golden.image("sample")},
                        {"picture", golden.image("hint")},
                        {"timestep", {444}},
                        {"context", golden.values("ctx")}});
    ASSERT_TRUE(out) << out.error().message;
    for (auto& [name, values] : *out)
        for (float& value : values) value *= kStrength;
    for (const auto& [name, key] : {std::pair{"0", "down0"}, {"11", "down11"}, {"12", "mid"}})
        EXPECT_LE(testing::agreement(key, out->at(name), golden.image(key)).relativeError, kTolerance);

    const auto model = weights::openDiffusionModel(testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const auto unetConfig = UnetConfig::fromJson(model->unet.config);
    ASSERT_TRUE(unetConfig);
    kernels::Graph unet;
    UnetInputs unetInputs;
    unetInputs.latents = unet.input("latents", {1, 8, 16, 4});
    unetInputs.conditions.timestep = unet.input("timestep", {1});
    unetInputs.context = unet.input("context", {1, 77, 16});
    for (std::size_t i = 0; i < shapes.size(); ++i)
        unetInputs.controls.push_back(unet.input(fmt::format("{}", i), shapes[i]));
    unet.output("out", buildUnet(unet, *unetConfig, unetInputs));
    out->emplace("latents", golden.image("sample"));
    out->emplace("timestep", std::vector<float>{444});
    out->emplace("context", golden.values("ctx"));
    const auto painted = runOnce(std::move(unet), *model->unet.weights, backend, *out);
    ASSERT_TRUE(painted) << painted.error().message;
    EXPECT_LE(testing::agreement("out", painted->at("out"), golden.image("out")).relativeError, kTolerance);
}

TEST(ControlNet, HostileConfigurationsAreRefused) {
    const nlohmann::json plain{
        {"in_channels", 4},          {"block_out_channels", {32, 64}},
        {"attention_head_dim", 8},   {"layers_per_block", 1},
        {"cross_attention_dim", 16}, {"down_block_types", {"CrossAttnDownBlock2D", "DownBlock2D"}}};
    EXPECT_TRUE(ControlNetConfig::fromJson(plain));
    for (const auto& [field, value] : std::vector<std::pair<const char*, nlohmann::json>>{
             {"conditioning_channels", 0},
             {"conditioning_embedding_out_channels", nlohmann::json::array()},
             {"controlnet_conditioning_channel_order", "bgr"},
             {"down_block_types", 3}}) {
        nlohmann::json json = plain;
        json[field] = value;
        EXPECT_FALSE(ControlNetConfig::fromJson(json)) << field;
    }
    EXPECT_FALSE(ControlNetConfig::fromJson(nlohmann::json("text")));
}

}  // namespace
}  // namespace reelbrush::diffusion
