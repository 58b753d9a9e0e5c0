#include "engine/diffusion/networks/motion_module.h"

#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/networks/unet_graph.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/motion_module.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/plan/joined_weights.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {
namespace {

constexpr int kFrames = 6;

/// [1,C,F,H,W] as [F,H,W,C].
std::vector<float> byFrame(const std::vector<float>& values, int frames) {
    const std::size_t channels = 4, pixels = values.size() / channels / static_cast<std::size_t>(frames);
    std::vector<float> result(values.size());
    for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t f = 0; f < static_cast<std::size_t>(frames); ++f)
            for (std::size_t p = 0; p < pixels; ++p)
                result[(f * pixels + p) * channels + c] =
                    values[(c * static_cast<std::size_t>(frames) + f) * pixels + p];
    return result;
}

std::vector<float> repeated(const std::vector<float>& values, int times) {
    std::vector<float> all;
    for (int i = 0; i < times; ++i) all.insert(all.end(), values.begin(), values.end());
    return all;
}

TEST(MotionModule, MatchesDiffusersOverSixFrames) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "motion-tiny is not in the repository";
    const auto folder = *shared / "fixtures" / "motion-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto files = weights::openMotionModule(folder);
    ASSERT_TRUE(files) << files.error().message;
    const auto config = MotionModuleConfig::fromJson(files->part.config);
    ASSERT_TRUE(config) << config.error().message;
    const auto model = weights::openDiffusionModel(testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const auto unetConfig = UnetConfig::fromJson(model->unet.config);
    ASSERT_TRUE(unetConfig);

    // Two prompts, the same twice: frames must attend to those of their own prompt only.
    for (const int prompts : {1, 2}) {
        const int batch = prompts * kFrames;
        kernels::Graph graph;
        UnetInputs inputs;
        inputs.latents = graph.input("latents", {batch, 8, 8, 4});
        inputs.conditions.timestep = graph.input("timestep", {1});
        inputs.context = graph.input("context", {batch, 77, 16});
        graph.output("out", buildUnet(graph, *unetConfig, inputs, withMotion({}, graph, *config, kFrames)));
        ASSERT_TRUE(graph.status()) << graph.status().error().message;
        const MotionWeights motion(*files->part.weights, *config, kFrames);
        const kernels::JoinedWeights joined({model->unet.weights.get(), &motion});
        kernels::CpuBackend backend(kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32});
        const auto out = runOnce(std::move(graph), joined, backend,
                                 {{"latents", repeated(byFrame(golden.values("sample"), kFrames), prompts)},
                                  {"timestep", {600}},
                                  {"context", repeated(golden.values("ctx"), batch)}});
        ASSERT_TRUE(out) << out.error().message;
        const auto expected = repeated(byFrame(golden.values("out"), kFrames), prompts);
        EXPECT_LE(testing::agreement("motion out", out->at("out"), expected).relativeError, 1e-4)
            << "the positions are stored as halves";
    }
}

/// Weights of a module without positions.
class OneNorm final : public kernels::WeightProvider {
  public:
    Result<kernels::WeightView> find(std::string_view name) const override {
        if (!contains(name)) return fail(StatusCode::BadInput, "missing");
        kernels::WeightView view;
        view.shape = {4};
        view.data = values_.data();
        return view;
    }
    bool contains(std::string_view name) const override { return name == "a.norm1.weight"; }

  private:
    std::vector<float> values_{1, 1, 1, 1};
};

TEST(MotionModule, PositionsAreComputedWhereAFileHasNone) {
    const OneNorm inner;
    const MotionWeights weights(inner, {.mostFrames = 3}, 3);
    EXPECT_TRUE(weights.contains("a.pos_embed.pe"));
    const auto view = weights.find("a.pos_embed.pe");
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_EQ(view->shape, (kernels::Shape{1, 3, 4}));
    const auto* values = static_cast<const float*>(view->data);
    for (int frame = 0; frame < 3; ++frame) {
        EXPECT_NEAR(values[frame * 4], std::sin(frame), 1e-6);
        EXPECT_NEAR(values[frame * 4 + 1], std::cos(frame), 1e-6);
        EXPECT_NEAR(values[frame * 4 + 2], std::sin(frame * 0.01), 1e-6);
        EXPECT_NEAR(values[frame * 4 + 3], std::cos(frame * 0.01), 1e-6);
    }
    const auto tooMany = MotionWeights(inner, {.mostFrames = 2}, 3).find("a.pos_embed.pe");
    ASSERT_FALSE(tooMany);
    EXPECT_NE(tooMany.error().message.find("at most 2 frames"), std::string::npos) << tooMany.error().message;
}

TEST(MotionModule, HostileConfigurationsAreRefused) {
    EXPECT_TRUE(MotionModuleConfig::fromJson(nlohmann::json::object()));
    for (const auto& [field, value] :
         std::vector<std::pair<const char*, nlohmann::json>>{{"motion_num_attention_heads", 0},
                                                             {"motion_transformer_layers_per_block", {1, 2}},
                                                             {"use_motion_mid_block", "yes"}}) {
        nlohmann::json json;
        json[field] = value;
        EXPECT_FALSE(MotionModuleConfig::fromJson(json)) << field;
    }
    EXPECT_FALSE(MotionModuleConfig::fromJson(nlohmann::json::array()));
}

}  // namespace
}  // namespace reelbrush::diffusion
