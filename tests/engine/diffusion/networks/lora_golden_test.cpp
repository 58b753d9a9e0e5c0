#include "engine/diffusion/networks/unet_graph.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/lora_merge.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/plan/plan.h"
#include "kernels/tensor/buffer.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace reelbrush::diffusion {
namespace {

using kernels::Plan;

/// The UNet of sd15-tiny with one LoRA of each family, against the reference implementations of those families. One
/// plan serves all cases, so that every LoRA is also merged after another one was there.
class LoraGolden : public ::testing::TestWithParam<const char*> {
  protected:
    static constexpr float kTimestep = 321;

    static void SetUpTestSuite() {
        const auto model =
            weights::openDiffusionModel(testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors");
        ASSERT_TRUE(model) << model.error().message;
        const auto config = UnetConfig::fromJson(model->unet.config);
        ASSERT_TRUE(config) << config.error().message;
        target_.parts["unet"] = model->unet.weights;
        target_.parts["text_encoder"] = model->textEncoder.weights;

        kernels::Graph graph;
        UnetInputs inputs;
        inputs.latents = graph.input("latents", {1, 8, 16, 4});
        inputs.conditions.timestep = graph.input("timestep", {1});
        inputs.context = graph.input("context", {1, 77, 16});
        graph.output("out", buildUnet(graph, *config, inputs));
        auto plan = Plan::compile(std::move(graph), *target_.parts["unet"], backend_);
        ASSERT_TRUE(plan) << plan.error().message;
        plan_ = std::move(*plan);
        auto arena = kernels::Buffer::allocate(plan_->arenaBytes(), nullptr, "test");
        ASSERT_TRUE(arena);
        arena_ = std::move(*arena);
        ASSERT_TRUE(plan_->bind({arena_.data(), arena_.sizeBytes()}));
    }
    static void TearDownTestSuite() {
        plan_.reset();
        target_ = {.parts = {}, .modelName = "SD 1.5"};
        touched_.clear();
    }
    void SetUp() override { ASSERT_TRUE(plan_) << "the model could not be compiled"; }

    static std::filesystem::path folder() { return testing::fixturesFolder() / "sd15-tiny" / "lora"; }

    /// The UNet's output with these LoRAs instead of those of the call before. context: its name among the goldens.
    static std::vector<float> paint(const std::vector<weights::LoraUse>& uses,
                                    const std::string& context = "text.base") {
        const auto merged = weights::mergeLoras(target_, uses);
        if (!merged) throw std::runtime_error(merged.error().message);
        for (const auto& coverage : merged->coverage) EXPECT_TRUE(coverage.isComplete()) << coverage.warning();
        const auto& unet = *merged->parts.at("unet");
        std::set<std::string, std::less<>> touched(unet.touchedWeights().begin(), unet.touchedWeights().end());
        touched_.insert(touched.begin(), touched.end());
        const auto reloaded = plan_->reloadWeights(unet, touched_);
        EXPECT_TRUE(reloaded) << reloaded.error().message;
        touched_ = std::move(touched);

        const testing::GoldenTensors golden(folder() / "golden.safetensors");
        std::ranges::copy(golden.image("sample"), plan_->input("latents").begin());
        std::ranges::copy(golden.values(context), plan_->input("context").begin());
        plan_->input("timestep")[0] = kTimestep;
        EXPECT_TRUE(plan_->run());
        const auto out = plan_->output("out");
        return {out.begin(), out.end()};
    }

    static inline kernels::CpuBackend backend_{
        kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32}};
    static inline weights::LoraTarget target_{.parts = {}, .modelName = "SD 1.5"};
    static inline kernels::Buffer arena_;
    static inline std::optional<Plan> plan_;
    static inline std::set<std::string, std::less<>> touched_;
};

TEST_P(LoraGolden, MatchesTheReferenceAtBothStrengths) {
    const std::string name = GetParam();
    const auto lora = weights::LoraFile::open(folder() / (name + ".safetensors"));
    ASSERT_TRUE(lora) << lora.error().message;
    const testing::GoldenTensors golden(folder() / "golden.safetensors");
    const auto before = paint({});
    EXPECT_LE(testing::agreement("base", before, golden.image("base")).relativeError, 1e-4);
    for (const auto& [ending, strength] : {std::pair{".s10", 1.0f}, {".s6", 0.6f}}) {
        const bool changesText = name == "kohya";
        const auto out = paint({{*lora, strength}}, changesText ? name + ".text" + ending : "text.base");
        const auto agreed = testing::agreement(name + ending, out, golden.image(name + ending));
        EXPECT_GE(agreed.cosine, 0.9999);
        EXPECT_LE(agreed.relativeError, 1e-4);
        EXPECT_GT(testing::agreement("  against base", out, golden.image("base")).relativeError, 1e-3);
    }
    EXPECT_EQ(paint({}), before) << "without LoRAs the pristine weights are back, bit for bit";
}

TEST_P(LoraGolden, StrengthZeroEqualsNoneBitForBit) {
    const auto lora = weights::LoraFile::open(folder() / (std::string(GetParam()) + ".safetensors"));
    ASSERT_TRUE(lora) << lora.error().message;
    EXPECT_EQ(paint({{*lora, 0}}), paint({}));
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, LoraGolden,
                         ::testing::Values("kohya", "kohya_noalpha", "peft", "diffusers_attn_processor", "locon",
                                           "loha", "lokr", "dora"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace reelbrush::diffusion
