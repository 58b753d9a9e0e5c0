#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/sampling/noise_schedule.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

enum class SamplerKind {
    Ddim,            ///< Song et al. 2020
    Euler,           ///< Karras et al. 2022, algorithm 2 without churn
    EulerAncestral,  ///< adds fresh noise after each step
    Heun,            ///< second order, two evaluations a step
    DpmSolver2M,     ///< DPM-Solver++ multistep, Lu et al. 2022
    DpmSolver2MSde,  ///< the same with fresh noise
    UniPc,           ///< Zhao et al. 2023
    Lcm,             ///< latent consistency models, Luo et al. 2023
    Tcd,             ///< trajectory consistency, Zheng et al. 2024
    FlowEuler,       ///< rectified flow
};
enum class SigmaSpacing { Plain, Karras, Exponential };
/// Where timesteps are taken from the training range; Lin et al. 2023, table 2.
enum class TimestepSpacing { Leading, Trailing, Linspace };
enum class PredictionType {
    Epsilon,
    VPrediction,
    Sample,  ///< the clean latents
    Flow,    ///< noise minus clean latents; only with FlowEuler
};

/// The eta that TCD is made for.
inline constexpr double kUsualTcdEta = 0.3;

/// What makes a sampler, apart from steps and strength. The fields say what diffusers' scheduler_config.json calls
/// them.
struct SamplerSettings {
    SamplerKind kind = SamplerKind::Ddim;
    PredictionType prediction = PredictionType::Epsilon;
    NoiseSchedule::Betas betas{};
    TimestepSpacing timesteps = TimestepSpacing::Leading;  ///< timestep_spacing
    int stepsOffset = 0;                                   ///< steps_offset, with Leading
    std::vector<int> customTimesteps{};  ///< strictly falling; empty: spaced as above. Steps must equal its length.

    SigmaSpacing sigmas = SigmaSpacing::Plain;     ///< use_karras_sigmas, use_exponential_sigmas
    std::optional<double> sigmaMin{}, sigmaMax{};  ///< ends of Karras and exponential spacing
    bool endsAtZeroSigma = true;                   ///< final_sigmas_type "zero"; else at the first training sigma
    bool endsClean = true;                         ///< set_alpha_to_one; Ddim

    double eta = 0.0;                   ///< 0..1, fresh noise of Ddim; how far Tcd goes down to come back up (gamma)
    std::optional<double> clipRange{};  ///< clip_sample: clean estimates are clamped to +- this; Ddim, Heun, Lcm
    double shift = 1.0;                 ///< FlowEuler: moves the timesteps towards noise

    int solverOrder = 2;          ///< 1..3; DpmSolver2M (1..2 with fresh noise), UniPc
    bool lowerOrderFinal = true;  ///< the last steps fall back to lower orders
    bool eulerAtFinal = false;    ///< DpmSolver: the very last step is of first order in any case
    bool heunCorrection = false;  ///< DpmSolver: solver_type "heun" instead of "midpoint"
    bool linearStepSize = false;  ///< UniPc: solver_type "bh1" instead of "bh2"

    int distillationSteps = 50;     ///< original_inference_steps; Lcm, Tcd
    double timestepScaling = 10.0;  ///< timestep_scaling; Lcm

    /// The scheduler class that the model asked for, where another stands in for it; empty otherwise. To be told.
    std::string standsInFor{};

    bool operator==(const SamplerSettings&) const = default;
};

/// From diffusers' scheduler_config.json, with the defaults of the class named in _class_name. Schedulers of the same
/// family that are not offered (PNDM, DDPM, LMS) are stood in for; see standsInFor.
/// Errors: BadInput (field named), Unsupported (class or option named).
Result<SamplerSettings> settingsFromSchedulerConfig(const nlohmann::json& json);

/// Errors: BadInput where values are senseless, or do not go together.
Status checkSettings(const SamplerSettings& settings);

}  // namespace reelbrush::diffusion
