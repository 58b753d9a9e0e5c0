#include "engine/diffusion/sampling/sampler_names.h"

#include "engine/diffusion/sampling/sampler.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

const SamplerSettings kBasis = latentDiffusionSettings(PredictionType::Epsilon, false);

struct Spelling {
    const char* name;
    SamplerKind kind;
    SigmaSpacing sigmas = SigmaSpacing::Plain;
    TimestepSpacing timesteps = TimestepSpacing::Linspace;
};

class SamplerSpelling : public ::testing::TestWithParam<Spelling> {};

TEST_P(SamplerSpelling, IsUnderstood) {
    const auto settings = settingsNamed(GetParam().name, kBasis);
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->kind, GetParam().kind);
    EXPECT_EQ(settings->sigmas, GetParam().sigmas);
    EXPECT_EQ(settings->timesteps, GetParam().timesteps);
    EXPECT_TRUE(Sampler::create(*settings, 20));
}

constexpr auto kPlain = SigmaSpacing::Plain;
constexpr auto kKarras = SigmaSpacing::Karras;
INSTANTIATE_TEST_SUITE_P(
    Names, SamplerSpelling,
    ::testing::Values(Spelling{"ddim", SamplerKind::Ddim, kPlain, TimestepSpacing::Leading},
                      Spelling{"Euler", SamplerKind::Euler}, Spelling{"Euler a", SamplerKind::EulerAncestral},
                      Spelling{"euler_ancestral", SamplerKind::EulerAncestral},
                      Spelling{"EulerAncestralDiscreteScheduler", SamplerKind::EulerAncestral},
                      Spelling{"euler karras", SamplerKind::Euler, kKarras},
                      Spelling{"Heun Exponential", SamplerKind::Heun, SigmaSpacing::Exponential},
                      Spelling{"DPM++ 2M", SamplerKind::DpmSolver2M}, Spelling{"dpmpp_2m", SamplerKind::DpmSolver2M},
                      Spelling{"DPM++ 2M Karras", SamplerKind::DpmSolver2M, kKarras},
                      Spelling{"dpm++ 2m sde karras", SamplerKind::DpmSolver2MSde, kKarras},
                      Spelling{"dpmpp_2m_sde_gpu normal", SamplerKind::DpmSolver2MSde},
                      Spelling{"DPM++ 2M SDE Heun", SamplerKind::DpmSolver2MSde},
                      Spelling{"DPMSolverMultistepScheduler", SamplerKind::DpmSolver2M},
                      Spelling{"UniPC", SamplerKind::UniPc}, Spelling{"uni_pc_bh2", SamplerKind::UniPc},
                      Spelling{"euler sgm_uniform", SamplerKind::Euler, kPlain, TimestepSpacing::Trailing},
                      Spelling{"LCM", SamplerKind::Lcm, kPlain, TimestepSpacing::Leading},
                      Spelling{"TCD", SamplerKind::Tcd, kPlain, TimestepSpacing::Leading}));

TEST(SamplerNames, EveryNameOfferedIsUnderstoodAndNamedBack) {
    SamplerSettings flow;
    flow.kind = SamplerKind::FlowEuler;
    flow.prediction = PredictionType::Flow;
    EXPECT_GE(samplerNames().size(), 11u);
    for (const std::string& name : samplerNames()) {
        const auto settings = settingsNamed(name, name == "flow euler" ? flow : kBasis);
        ASSERT_TRUE(settings) << settings.error().message;
        EXPECT_EQ(nameOf(*settings), name);
    }
    EXPECT_EQ(nameOf(*settingsNamed("DPM++ 2M Karras", kBasis)), "dpm++ 2m karras");
}

TEST(SamplerNames, UnknownNamesGetTheList) {
    for (const char* name : {"foo", "karras", "dpm", "ddim2", "++"}) {
        const auto settings = settingsNamed(name, kBasis);
        ASSERT_FALSE(settings) << name;
        EXPECT_EQ(settings.error().code, StatusCode::BadInput);
        EXPECT_NE(settings.error().message.find("dpm++ 2m sde"), std::string::npos);
    }
}

TEST(SamplerNames, AnEmptyNameIsTheModelsOwn) {
    EXPECT_EQ(settingsNamed("", kBasis)->kind, kBasis.kind);
    EXPECT_EQ(settingsNamed("", kBasis)->stepsOffset, 1);
}

TEST(SamplerNames, WhatDoesNotGoTogetherIsRefused) {
    EXPECT_NE(settingsNamed("ddim karras", kBasis).error().message.find("takes no karras"), std::string::npos);
    SamplerSettings flow;
    flow.kind = SamplerKind::FlowEuler;
    flow.prediction = PredictionType::Flow;
    EXPECT_FALSE(settingsNamed("ddim", flow));
    EXPECT_EQ(settingsNamed("euler", flow)->kind, SamplerKind::FlowEuler);
    EXPECT_FALSE(settingsNamed("flow euler", kBasis));
}

TEST(SamplerNames, AZeroSnrModelStaysTrailing) {
    const SamplerSettings basis = latentDiffusionSettings(PredictionType::VPrediction, true);
    for (const char* name : {"ddim", "euler", "dpm++ 2m"}) {
        const auto settings = settingsNamed(name, basis);
        ASSERT_TRUE(settings);
        EXPECT_EQ(settings->timesteps, TimestepSpacing::Trailing);
        EXPECT_EQ(settings->prediction, PredictionType::VPrediction);
        EXPECT_TRUE(settings->betas.zeroTerminalSnr);
        EXPECT_EQ((*Sampler::create(*settings, 20))->timestep(0), 999.0f);
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
