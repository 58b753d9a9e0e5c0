#include "engine/diffusion/sampling/sampler.h"
#include "engine/diffusion/sampling/torch_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace reelbrush::diffusion {
namespace {

/// A configuration (beside the betas of SD 1.5), and the first three of eight values that diffusers ends with, from
/// torch.randn(2, 4) by the CPU generator of seed 7 (the second draw), with the toy model of the fixture "schedulers".
struct Final {
    const char* config;
    int steps;
    float expected[3];
};

class SamplerOptions : public ::testing::TestWithParam<Final> {};

TEST_P(SamplerOptions, EndWhereDiffusersDoes) {
    nlohmann::json config{{"beta_start", 0.00085}, {"beta_end", 0.012}, {"beta_schedule", "scaled_linear"}};
    config.update(nlohmann::json::parse(GetParam().config));
    const auto settings = settingsFromSchedulerConfig(config);
    ASSERT_TRUE(settings) << settings.error().message;
    const auto sampler = Sampler::create(*settings, GetParam().steps);
    ASSERT_TRUE(sampler) << sampler.error().message;
    TorchCpuNoise noise(7);
    std::vector<float> start(8), latents(8), prediction(8);
    noise.fill(start);
    noise.fill(start);
    ASSERT_TRUE((*sampler)->start({}, start, latents));
    float largest = 0.0f;
    for (std::size_t i = 0; i < (*sampler)->evaluations(); ++i) {
        (*sampler)->scaleInput(i, latents, prediction);
        for (float& x : prediction) x = std::tanh(0.7f * x + 0.1f) + 0.05f * std::cos((*sampler)->timestep(i) / 100);
        ASSERT_TRUE((*sampler)->step(i, prediction, latents, noise));
        for (float x : latents) largest = std::max(largest, std::abs(x));
    }
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(latents[k], GetParam().expected[k], 3e-5f * largest);
}

INSTANTIATE_TEST_SUITE_P(
    Configurations, SamplerOptions,
    ::testing::Values(
        Final{R"({"use_exponential_sigmas": true, "_class_name": "EulerDiscreteScheduler"})",
              6,
              {-0.14571397f, -11.7747078f, 0.243358999f}},
        Final{R"({"use_exponential_sigmas": true, "_class_name": "EulerDiscreteScheduler"})",
              18,
              {-0.115995564f, -11.1483431f, 0.190849721f}},
        Final{R"({"timestep_spacing": "leading", "steps_offset": 1, "_class_name": "EulerDiscreteScheduler"})",
              6,
              {-0.0921514928f, -4.88770103f, 0.126913965f}},
        Final{R"({"timestep_spacing": "leading", "steps_offset": 1, "_class_name": "EulerDiscreteScheduler"})",
              18,
              {-0.10094925f, -7.85575342f, 0.155526772f}},
        Final{
            R"({"timestep_spacing": "trailing", "prediction_type": "v_prediction", "rescale_betas_zero_snr": true, "_class_name": "EulerDiscreteScheduler"})",
            6,
            {-0.0521321967f, -0.505190492f, -0.0127819106f}},
        Final{
            R"({"timestep_spacing": "trailing", "prediction_type": "v_prediction", "rescale_betas_zero_snr": true, "_class_name": "EulerDiscreteScheduler"})",
            18,
            {-0.0577514656f, -0.665407777f, -0.00404759124f}},
        Final{R"({"final_sigmas_type": "sigma_min", "_class_name": "EulerDiscreteScheduler"})",
              6,
              {-0.116664946f, -11.665473f, 0.236678898f}},
        Final{R"({"final_sigmas_type": "sigma_min", "_class_name": "EulerDiscreteScheduler"})",
              18,
              {-0.107309192f, -11.1439314f, 0.196112126f}},
        Final{
            R"({"use_karras_sigmas": true, "prediction_type": "v_prediction", "_class_name": "HeunDiscreteScheduler"})",
            6,
            {-0.0278768782f, -1.05356145f, 0.0676433444f}},
        Final{
            R"({"use_karras_sigmas": true, "prediction_type": "v_prediction", "_class_name": "HeunDiscreteScheduler"})",
            18,
            {-0.0512936823f, -0.793508947f, 0.0149386935f}},
        Final{R"({"solver_order": 3, "_class_name": "DPMSolverMultistepScheduler"})",
              6,
              {-0.0742751211f, -11.4451056f, 0.215710878f}},
        Final{R"({"solver_type": "heun", "_class_name": "DPMSolverMultistepScheduler"})",
              6,
              {-0.0868981332f, -11.3184891f, 0.188209176f}},
        Final{R"({"solver_type": "heun", "_class_name": "DPMSolverMultistepScheduler"})",
              18,
              {-0.10598319f, -10.9833441f, 0.173486665f}},
        Final{
            R"({"solver_type": "heun", "algorithm_type": "sde-dpmsolver++", "_class_name": "DPMSolverMultistepScheduler"})",
            6,
            {8.14748573f, -6.7775979f, 15.7095213f}},
        Final{
            R"({"solver_type": "heun", "algorithm_type": "sde-dpmsolver++", "_class_name": "DPMSolverMultistepScheduler"})",
            18,
            {1.70506287f, -11.2339144f, 15.8313494f}},
        Final{
            R"({"timestep_spacing": "leading", "steps_offset": 1, "use_exponential_sigmas": true, "_class_name": "DPMSolverMultistepScheduler"})",
            6,
            {-0.103072509f, -11.4797077f, 0.12846002f}},
        Final{
            R"({"timestep_spacing": "leading", "steps_offset": 1, "use_exponential_sigmas": true, "_class_name": "DPMSolverMultistepScheduler"})",
            18,
            {-0.104324661f, -10.9793081f, 0.174433336f}},
        Final{
            R"({"prediction_type": "sample", "final_sigmas_type": "sigma_min", "euler_at_final": true, "_class_name": "DPMSolverMultistepScheduler"})",
            6,
            {0.27283296f, -0.787890971f, 0.397444218f}},
        Final{
            R"({"prediction_type": "sample", "final_sigmas_type": "sigma_min", "euler_at_final": true, "_class_name": "DPMSolverMultistepScheduler"})",
            18,
            {0.341458321f, -0.600043476f, 0.443050355f}},
        Final{R"({"solver_order": 3, "_class_name": "UniPCMultistepScheduler"})",
              6,
              {-0.0684571043f, -11.342556f, 0.213168487f}},
        Final{R"({"solver_order": 3, "_class_name": "UniPCMultistepScheduler"})",
              18,
              {-0.107545726f, -10.9788141f, 0.172261104f}},
        Final{
            R"({"solver_type": "bh1", "use_karras_sigmas": true, "final_sigmas_type": "sigma_min", "_class_name": "UniPCMultistepScheduler"})",
            6,
            {-0.0348150432f, -10.2700739f, 0.0191757269f}},
        Final{
            R"({"solver_type": "bh1", "use_karras_sigmas": true, "final_sigmas_type": "sigma_min", "_class_name": "UniPCMultistepScheduler"})",
            18,
            {-0.10116408f, -10.9488401f, 0.18543832f}},
        Final{
            R"({"solver_order": 3, "solver_type": "bh1", "prediction_type": "v_prediction", "final_sigmas_type": "sigma_min", "_class_name": "UniPCMultistepScheduler"})",
            6,
            {-0.0238079131f, -0.688355744f, 0.0351555906f}},
        Final{
            R"({"solver_order": 3, "solver_type": "bh1", "prediction_type": "v_prediction", "final_sigmas_type": "sigma_min", "_class_name": "UniPCMultistepScheduler"})",
            18,
            {-0.0502124317f, -0.772452593f, 0.0139781516f}},
        Final{R"({"beta_schedule": "linear", "_class_name": "DDIMScheduler", "beta_start": 0.0001, "beta_end": 0.02})",
              6,
              {-0.269369155f, -0.785388708f, 0.168663755f}},
        Final{R"({"beta_schedule": "linear", "_class_name": "DDIMScheduler", "beta_start": 0.0001, "beta_end": 0.02})",
              18,
              {-0.188162521f, -0.325672537f, 0.0115353679f}},
        Final{R"({"prediction_type": "v_prediction", "_class_name": "LCMScheduler"})",
              6,
              {-0.767547488f, -0.1544552f, 0.129653156f}},
        Final{R"({"prediction_type": "v_prediction", "_class_name": "LCMScheduler"})",
              18,
              {-0.157868311f, 0.187322408f, 0.0769517049f}},
        Final{R"({"prediction_type": "sample", "_class_name": "TCDScheduler"})",
              6,
              {-0.313055754f, -0.495342344f, 0.740742266f}},
        Final{R"({"prediction_type": "sample", "_class_name": "TCDScheduler"})",
              18,
              {0.549360871f, -0.0858290344f, 0.170843244f}},
        Final{R"({"shift": 1.0, "_class_name": "FlowMatchEulerDiscreteScheduler"})",
              6,
              {-0.00159308978f, -0.979322374f, 0.0857245326f}},
        Final{R"({"shift": 1.0, "_class_name": "FlowMatchEulerDiscreteScheduler"})",
              18,
              {-0.00163606938f, -0.999874234f, 0.0886743069f}}));

nlohmann::json withClass(const char* name, nlohmann::json fields = nlohmann::json::object()) {
    fields["_class_name"] = name;
    return fields;
}

TEST(SamplerConfig, DefaultsAreThoseOfTheClass) {
    const auto ddim = settingsFromSchedulerConfig(withClass("DDIMScheduler"));
    ASSERT_TRUE(ddim);
    EXPECT_EQ(ddim->timesteps, TimestepSpacing::Leading);
    EXPECT_EQ(ddim->betas.spacing, BetaSpacing::Linear);
    EXPECT_EQ(ddim->clipRange, 1.0);
    const auto heun = settingsFromSchedulerConfig(withClass("HeunDiscreteScheduler"));
    ASSERT_TRUE(heun);
    EXPECT_NEAR(heun->betas.end, 0.012, 1e-8);
    EXPECT_EQ(heun->timesteps, TimestepSpacing::Linspace);
    EXPECT_FALSE(heun->clipRange);
}

TEST(SamplerConfig, TheSchedulerThatSd15ShipsIsStoodInFor) {
    const auto settings = settingsFromSchedulerConfig(withClass("PNDMScheduler", {{"beta_start", 0.00085},
                                                                                  {"beta_end", 0.012},
                                                                                  {"beta_schedule", "scaled_linear"},
                                                                                  {"set_alpha_to_one", false},
                                                                                  {"skip_prk_steps", true},
                                                                                  {"steps_offset", 1}}));
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->kind, SamplerKind::Ddim);
    EXPECT_EQ(settings->standsInFor, "PNDMScheduler");
    EXPECT_FALSE(settings->endsClean);
    EXPECT_EQ((*Sampler::create(*settings, 4))->timestep(0), 751.0f);
}

TEST(SamplerConfig, WhatCannotBeDoneIsNamed) {
    const std::pair<nlohmann::json, const char*> cases[] = {
        {nlohmann::json::array(), "JSON object"},
        {nlohmann::json::object(), "_class_name"},
        {withClass("FooScheduler"), "FooScheduler"},
        {withClass("DDIMScheduler", {{"thresholding", true}}), "thresholding"},
        {withClass("DDIMScheduler", {{"prediction_type", "flow"}}), "flow"},
        {withClass("DDIMScheduler", {{"timestep_spacing", "random"}}), "random"},
        {withClass("DDIMScheduler", {{"steps_offset", -1}}), "steps_offset"},
        {withClass("EulerDiscreteScheduler", {{"use_beta_sigmas", true}}), "use_beta_sigmas"},
        {withClass("EulerDiscreteScheduler", {{"use_karras_sigmas", true}, {"use_exponential_sigmas", true}}),
         "Karras"},
        {withClass("EulerDiscreteScheduler", {{"sigma_min", 5}, {"sigma_max", 1}}), "smallest"},
        {withClass("EulerDiscreteScheduler", {{"timestep_type", "continuous"}}), "continuous"},
        {withClass("DPMSolverMultistepScheduler", {{"algorithm_type", "dpmsolver"}}), "dpmsolver"},
        {withClass("DPMSolverMultistepScheduler", {{"solver_order", 4}}), "order"},
        {withClass("DPMSolverMultistepScheduler", {{"solver_order", 3}, {"algorithm_type", "sde-dpmsolver++"}}),
         "1 or 2"},
        {withClass("UniPCMultistepScheduler", {{"predict_x0", false}}), "predict_x0"},
        {withClass("LCMScheduler", {{"original_inference_steps", 5000}}), "distillation"},
        {withClass("FlowMatchEulerDiscreteScheduler", {{"shift", 0}}), "shift"},
    };
    for (const auto& [config, part] : cases) {
        const auto settings = settingsFromSchedulerConfig(config);
        ASSERT_FALSE(settings) << config;
        EXPECT_NE(settings.error().message.find(part), std::string::npos) << settings.error().message;
    }
}

/// What fuzzing begins with, and has found: text and a byte that chooses the steps.
TEST(SamplerConfig, FuzzingSeedsAreReadOrRefused) {
    std::size_t read = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(REELBRUSH_SOURCE_DIR "/tests/fuzz/corpus/scheduler_config")) {
        std::ifstream file(entry.path(), std::ios::binary);
        std::string text(std::istreambuf_iterator<char>(file), {});
        if (!text.empty()) text.pop_back();
        const auto settings = settingsFromSchedulerConfig(nlohmann::json::parse(text, nullptr, false));
        if (!settings) continue;
        ++read;
        for (int steps : {1, 4, 50}) (void)Sampler::create(*settings, steps);
    }
    EXPECT_GE(read, 15u);
}

}  // namespace
}  // namespace reelbrush::diffusion
