#include "engine/diffusion/sampling/few_step.h"

#include "engine/diffusion/sampling/sampler.h"
#include "engine/diffusion/sampling/sampler_names.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

const SamplerSettings kBasis = latentDiffusionSettings(PredictionType::Epsilon, false);

struct Known {
    const char* file;
    SamplerKind kind;
    int steps;
    TimestepSpacing spacing = TimestepSpacing::Leading;
    bool isBaseModel = false;
};

class FewStepNames : public ::testing::TestWithParam<Known> {};

TEST_P(FewStepNames, AreRecognised) {
    const auto choice = fewStepChoice({GetParam().file, {}, GetParam().isBaseModel}, kBasis);
    ASSERT_TRUE(choice) << GetParam().file;
    EXPECT_EQ(choice->settings.kind, GetParam().kind) << choice->told;
    EXPECT_EQ(choice->steps, GetParam().steps) << choice->told;
    EXPECT_EQ(choice->settings.timesteps, GetParam().spacing) << choice->told;
    EXPECT_EQ(choice->guidance, 1.0f);
    EXPECT_TRUE(choice->setsGuidance);
    const auto sampler = Sampler::create(choice->settings, choice->steps);
    ASSERT_TRUE(sampler) << sampler.error().message;
    EXPECT_EQ((*sampler)->evaluations(), static_cast<std::size_t>(GetParam().steps));
}

constexpr auto kTrailing = TimestepSpacing::Trailing;
INSTANTIATE_TEST_SUITE_P(
    Files, FewStepNames,
    ::testing::Values(Known{"lcm-lora-sdv1-5.safetensors", SamplerKind::Lcm, 4},
                      Known{"LCM_LoRA_Weights_SD15.safetensors", SamplerKind::Lcm, 4},
                      Known{"AnimateLCM_sd15_t2v_lora.safetensors", SamplerKind::Lcm, 4},
                      Known{"TCD-SDXL-LoRA.safetensors", SamplerKind::Tcd, 4},
                      Known{"Hyper-SD15-4steps-lora.safetensors", SamplerKind::Ddim, 4, kTrailing},
                      Known{"Hyper-SDXL-8steps-lora.safetensors", SamplerKind::Ddim, 8, kTrailing},
                      Known{"hyper_sd15_2step.safetensors", SamplerKind::Ddim, 2, kTrailing},
                      Known{"Hyper-SDXL-1step-lora.safetensors", SamplerKind::Tcd, 1},
                      Known{"Hyper-SDXL-1step-Unet.safetensors", SamplerKind::Lcm, 1},
                      Known{"folder/sdxl_lightning_4step_lora.safetensors", SamplerKind::Euler, 4, kTrailing},
                      Known{"sdxl_lightning_8step_unet.safetensors", SamplerKind::Euler, 8, kTrailing, true},
                      Known{"RealVisXL_V4.0_Lightning", SamplerKind::Euler, 4, kTrailing, true},
                      Known{"animatediff_lightning_2step_comfyui.safetensors", SamplerKind::Euler, 2, kTrailing, true},
                      Known{"dmd2_sdxl_4step_lora.safetensors", SamplerKind::Lcm, 4},
                      Known{"sd_xl_turbo_1.0_fp16.safetensors", SamplerKind::EulerAncestral, 4, kTrailing, true},
                      Known{"dreamshaperXL_v21TurboDPMSDE.safetensors", SamplerKind::EulerAncestral, 4, kTrailing,
                            true}));

TEST(FewStep, MotifsAreNotMistakenForDistilledModels) {
    for (const char* file :
         {"lightning_bolts_v2.safetensors", "HyperRealism_lora.safetensors", "hyper-detailed.safetensors",
          "turbo_engine_style.safetensors", "oil_painting_sd15.safetensors", "", "steps.safetensors",
          "99999999999999999999steps lightning"})
        EXPECT_FALSE(fewStepChoice({file}, kBasis)) << file;
}

TEST(FewStep, TheTitleInTheMetadataCountsToo) {
    const auto choice =
        fewStepChoice({"pytorch_lora_weights.safetensors", {{"modelspec.title", "LCM LoRA for SDXL"}}}, kBasis);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->settings.kind, SamplerKind::Lcm);
    EXPECT_EQ(choice->told,
              "'pytorch_lora_weights.safetensors' is made for few steps (LCM): sampler lcm, 4 steps, no "
              "guidance");
}

TEST(FewStep, HyperWithGuidanceKeepsTheArtistsOwn) {
    const auto choice = fewStepChoice({"Hyper-SD15-8steps-CFG-lora.safetensors"}, kBasis);
    ASSERT_TRUE(choice);
    EXPECT_FALSE(choice->setsGuidance);
}

TEST(FewStep, TheModelsNoiseScheduleAndPredictionStay) {
    const SamplerSettings basis = latentDiffusionSettings(PredictionType::VPrediction, true);
    const auto choice = fewStepChoice({"Hyper-SD15-4steps-lora.safetensors"}, basis);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->settings.prediction, PredictionType::VPrediction);
    EXPECT_TRUE(choice->settings.betas.zeroTerminalSnr);
}

}  // namespace
}  // namespace reelbrush::diffusion
