#include "engine/diffusion/sampling/sampler_settings.h"

#include "engine/diffusion/networks/config_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace reelbrush::diffusion {

namespace {

/// A scheduler class of diffusers and the defaults of its fields.
struct SchedulerClass {
    std::string_view name;
    SamplerKind kind;
    bool standsIn = false;
    TimestepSpacing timesteps = TimestepSpacing::Linspace;
    NoiseSchedule::Betas betas{1000, 0.0001, 0.02, BetaSpacing::Linear, false};
    bool clips = false;
    double eta = 0.0;
};

constexpr NoiseSchedule::Betas kLatentBetas{1000, 0.00085, 0.012, BetaSpacing::ScaledLinear, false};

constexpr std::array<SchedulerClass, 12> kClasses{{
    {"DDIMScheduler",
     SamplerKind::Ddim,
     false,
     TimestepSpacing::Leading,
     {1000, 0.0001, 0.02, BetaSpacing::Linear},
     true},
    {"EulerDiscreteScheduler", SamplerKind::Euler},
    {"EulerAncestralDiscreteScheduler", SamplerKind::EulerAncestral},
    {"HeunDiscreteScheduler",
     SamplerKind::Heun,
     false,
     TimestepSpacing::Linspace,
     {1000, 0.00085, 0.012, BetaSpacing::Linear}},
    {"DPMSolverMultistepScheduler", SamplerKind::DpmSolver2M},
    {"UniPCMultistepScheduler", SamplerKind::UniPc},
    {"LCMScheduler", SamplerKind::Lcm, false, TimestepSpacing::Leading, kLatentBetas},
    {"TCDScheduler", SamplerKind::Tcd, false, TimestepSpacing::Leading, kLatentBetas, false, kUsualTcdEta},
    {"FlowMatchEulerDiscreteScheduler", SamplerKind::FlowEuler},
    {"PNDMScheduler", SamplerKind::Ddim, true, TimestepSpacing::Leading},
    {"DDPMScheduler",
     SamplerKind::Ddim,
     true,
     TimestepSpacing::Leading,
     {1000, 0.0001, 0.02, BetaSpacing::Linear},
     true},
    {"LMSDiscreteScheduler", SamplerKind::Euler, true},
}};

Result<const SchedulerClass*> classNamed(const std::string& name) {
    std::string offered;
    for (const SchedulerClass& known : kClasses) {
        if (known.name == name) return &known;
        offered += (offered.empty() ? "" : ", ") + std::string(known.name);
    }
    return fail(StatusCode::Unsupported,
                fmt::format("scheduler class '{}' is not supported; supported are {}", name.substr(0, 80), offered));
}

Result<TimestepSpacing> timestepSpacingNamed(const std::string& name) {
    if (name == "leading") return TimestepSpacing::Leading;
    if (name == "trailing") return TimestepSpacing::Trailing;
    if (name == "linspace") return TimestepSpacing::Linspace;
    return fail(StatusCode::Unsupported, fmt::format("scheduler timestep_spacing '{}' is not supported; supported are "
                                                     "leading, trailing and linspace",
                                                     name.substr(0, 80)));
}

Result<PredictionType> predictionNamed(const std::string& name) {
    if (name == "epsilon") return PredictionType::Epsilon;
    if (name == "v_prediction") return PredictionType::VPrediction;
    if (name == "sample") return PredictionType::Sample;
    return fail(StatusCode::Unsupported, fmt::format("scheduler prediction_type '{}' is not supported; supported are "
                                                     "epsilon, v_prediction and sample",
                                                     name.substr(0, 80)));
}

/// Options that would change the numbers and are not built.
Status refuseUnsupported(const ConfigFields& fields) {
    for (const char* name : {"thresholding", "use_beta_sigmas", "use_lu_lambdas", "use_flow_sigmas",
                             "use_dynamic_shifting", "invert_sigmas", "stochastic_sampling"}) {
        RB_ASSIGN(const bool on, fields.flag(name, false));
        if (on) return fail(StatusCode::Unsupported, fmt::format("scheduler option '{}' is not supported", name));
    }
    struct Allowed {
        const char* field;
        const char* value;
    };
    for (const Allowed& allowed : {Allowed{"interpolation_type", "linear"}, Allowed{"timestep_type", "discrete"}}) {
        RB_ASSIGN(const std::string value, fields.text(allowed.field, allowed.value));
        if (value != allowed.value)
            return fail(StatusCode::Unsupported, fmt::format("scheduler {} '{}' is not supported, only '{}'",
                                                             allowed.field, value.substr(0, 80), allowed.value));
    }
    return {};
}

bool isSet(const nlohmann::json& json, const char* name) {
    return json.contains(name) && !json[name].is_null();
}

Status readSigmas(const nlohmann::json& json, const ConfigFields& fields, SamplerSettings& settings) {
    RB_ASSIGN(const bool karras, fields.flag("use_karras_sigmas", false));
    RB_ASSIGN(const bool exponential, fields.flag("use_exponential_sigmas", false));
    if (karras && exponential)
        return fail(StatusCode::BadInput, "scheduler configuration: Karras and exponential sigmas exclude each other");
    if (karras) settings.sigmas = SigmaSpacing::Karras;
    if (exponential) settings.sigmas = SigmaSpacing::Exponential;
    if (isSet(json, "sigma_min")) {
        RB_ASSIGN(settings.sigmaMin, fields.number("sigma_min"));
    }
    if (isSet(json, "sigma_max")) {
        RB_ASSIGN(settings.sigmaMax, fields.number("sigma_max"));
    }
    RB_ASSIGN(const std::string last, fields.text("final_sigmas_type", "zero"));
    if (last != "zero" && last != "sigma_min")
        return fail(StatusCode::Unsupported,
                    fmt::format("scheduler final_sigmas_type '{}' is not supported", last.substr(0, 80)));
    settings.endsAtZeroSigma = last == "zero";
    return {};
}

Status readSolver(const nlohmann::json& json, const ConfigFields& fields, SamplerSettings& settings) {
    RB_ASSIGN(settings.solverOrder, fields.positive("solver_order", 2));
    RB_ASSIGN(settings.lowerOrderFinal, fields.flag("lower_order_final", true));
    RB_ASSIGN(settings.eulerAtFinal, fields.flag("euler_at_final", false));
    RB_ASSIGN(const std::string solver, fields.text("solver_type", "midpoint"));
    settings.heunCorrection = solver == "heun";
    settings.linearStepSize = solver == "bh1";
    if (isSet(json, "lambda_min_clipped") && json["lambda_min_clipped"].is_number())
        return fail(StatusCode::Unsupported, "scheduler option 'lambda_min_clipped' is not supported");
    if (settings.kind == SamplerKind::UniPc) {
        RB_ASSIGN(const bool predictsClean, fields.flag("predict_x0", true));
        const bool correctsAll = !isSet(json, "disable_corrector") || json["disable_corrector"].empty();
        if (!predictsClean || !correctsAll)
            return fail(StatusCode::Unsupported,
                        "scheduler options 'predict_x0': false and 'disable_corrector' are not supported");
        return {};
    }
    RB_ASSIGN(const std::string algorithm, fields.text("algorithm_type", "dpmsolver++"));
    if (algorithm == "sde-dpmsolver++") settings.kind = SamplerKind::DpmSolver2MSde;
    if (algorithm != "sde-dpmsolver++" && algorithm != "dpmsolver++")
        return fail(StatusCode::Unsupported, fmt::format("scheduler algorithm_type '{}' is not supported; supported "
                                                         "are dpmsolver++ and sde-dpmsolver++",
                                                         algorithm.substr(0, 80)));
    return {};
}

Status readDenoising(const ConfigFields& fields, const SchedulerClass& known, SamplerSettings& settings) {
    RB_ASSIGN(settings.endsClean, fields.flag("set_alpha_to_one", known.name != "PNDMScheduler"));
    RB_ASSIGN(const bool clips, fields.flag("clip_sample", known.clips));
    RB_ASSIGN(const float range, fields.number("clip_sample_range", 1.0f));
    const bool canClip =
        settings.kind == SamplerKind::Ddim || settings.kind == SamplerKind::Heun || settings.kind == SamplerKind::Lcm;
    if (clips && canClip) settings.clipRange = range;
    RB_ASSIGN(settings.distillationSteps, fields.positive("original_inference_steps", 50));
    RB_ASSIGN(settings.timestepScaling, fields.number("timestep_scaling", 10.0f));
    return {};
}

}  // namespace

Result<SamplerSettings> settingsFromSchedulerConfig(const nlohmann::json& json) {
    if (!json.is_object()) return fail(StatusCode::BadInput, "scheduler configuration: it must be a JSON object");
    const ConfigFields fields(json, "scheduler configuration");
    RB_ASSIGN(const std::string className, fields.text("_class_name"));
    RB_ASSIGN(const SchedulerClass* known, classNamed(className));

    SamplerSettings settings;
    settings.kind = known->kind;
    settings.timesteps = known->timesteps;
    settings.eta = known->eta;
    if (known->standsIn) settings.standsInFor = className;
    RB_TRY(refuseUnsupported(fields));
    RB_ASSIGN(settings.betas, NoiseSchedule::betasFromJson(json, known->betas));
    if (settings.kind == SamplerKind::FlowEuler) {
        settings.prediction = PredictionType::Flow;
        RB_ASSIGN(settings.shift, fields.number("shift", 1.0f));
        RB_TRY(checkSettings(settings));
        return settings;
    }
    if (isSet(json, "timestep_spacing")) {
        RB_ASSIGN(const std::string spacing, fields.text("timestep_spacing"));
        RB_ASSIGN(settings.timesteps, timestepSpacingNamed(spacing));
    }
    RB_ASSIGN(const float offset, fields.number("steps_offset", 0.0f));
    if (!(offset >= 0 && offset < 1000))
        return fail(StatusCode::BadInput, "scheduler configuration: steps_offset must lie between 0 and 999");
    settings.stepsOffset = static_cast<int>(offset);
    RB_ASSIGN(const std::string prediction, fields.text("prediction_type", "epsilon"));
    RB_ASSIGN(settings.prediction, predictionNamed(prediction));
    RB_TRY(readSigmas(json, fields, settings));
    if (settings.kind == SamplerKind::DpmSolver2M || settings.kind == SamplerKind::UniPc)
        RB_TRY(readSolver(json, fields, settings));
    RB_TRY(readDenoising(fields, *known, settings));
    RB_TRY(checkSettings(settings));
    return settings;
}

Status checkSettings(const SamplerSettings& settings) {
    const auto wrong = [](const char* what) {
        return fail(StatusCode::BadInput, std::string("sampler settings: ") + what);
    };
    const NoiseSchedule::Betas& betas = settings.betas;
    if (betas.trainingTimesteps < 2 || betas.trainingTimesteps > 100'000)
        return wrong("the training timesteps must lie between 2 and 100000");
    if (!(betas.start > 0 && betas.end >= betas.start && betas.end < 1))
        return wrong("betas must satisfy 0 < start <= end < 1");
    if (settings.stepsOffset < 0 || settings.stepsOffset >= betas.trainingTimesteps)
        return wrong("the steps offset must lie within the training timesteps");
    if (settings.solverOrder < 1 || settings.solverOrder > 3) return wrong("the solver's order must be 1, 2 or 3");
    if (settings.solverOrder == 3 && settings.kind == SamplerKind::DpmSolver2MSde)
        return wrong("the order of a solver with fresh noise must be 1 or 2");
    if (!(settings.eta >= 0 && settings.eta <= 1)) return wrong("eta must lie between 0 and 1");
    if (!(settings.shift > 0.01 && settings.shift < 100)) return wrong("shift must lie between 0.01 and 100");
    if (settings.clipRange && !(*settings.clipRange > 0)) return wrong("the clip range must be above 0");
    if (settings.distillationSteps < 1 || settings.distillationSteps > betas.trainingTimesteps)
        return wrong("the distillation's steps must lie within the training timesteps");
    if (!(settings.timestepScaling > 0)) return wrong("the timestep scaling must be above 0");
    const double least = settings.sigmaMin.value_or(1e-4), most = settings.sigmaMax.value_or(1e6);
    if (!(least > 0 && most > least && most <= 1e6)) return wrong("sigmas must satisfy 0 < smallest < largest <= 1e6");
    if ((settings.kind == SamplerKind::FlowEuler) != (settings.prediction == PredictionType::Flow))
        return wrong("flow samplers and models that predict flow belong together, and no others");
    const auto& custom = settings.customTimesteps;
    if (!custom.empty() && settings.sigmas != SigmaSpacing::Plain)
        return wrong("a list of timesteps and Karras or exponential sigmas exclude each other");
    if (!std::ranges::is_sorted(custom, std::greater_equal<>()) && custom.size() > 1)
        return wrong("listed timesteps must fall strictly");
    if (!custom.empty() && (custom.back() < 0 || custom.front() >= betas.trainingTimesteps))
        return wrong("listed timesteps must lie within the training timesteps");
    return {};
}

}  // namespace reelbrush::diffusion
