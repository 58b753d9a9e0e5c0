#include "engine/diffusion/sampling/sampler_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

namespace reelbrush::diffusion {

namespace {

/// Spellings are without capitals and separators, and with p for plus.
struct NamedSampler {
    const char* name;
    SamplerKind kind;
    std::array<std::string_view, 6> spellings;
    bool heunCorrection = false;
};

constexpr std::array<NamedSampler, 11> kSamplers{{
    {"ddim", SamplerKind::Ddim, {"ddim", "ddimscheduler"}},
    {"euler", SamplerKind::Euler, {"euler", "eulerdiscrete", "eulerdiscretescheduler"}},
    {"euler a",
     SamplerKind::EulerAncestral,
     {"eulera", "eulerancestral", "eulerancestraldiscrete", "eulerancestraldiscretescheduler"}},
    {"heun", SamplerKind::Heun, {"heun", "heundiscrete", "heundiscretescheduler"}},
    {"dpm++ 2m",
     SamplerKind::DpmSolver2M,
     {"dpmpp2m", "dpm2mpp", "dpmsolverpp", "dpmsolvermultistep", "dpmsolvermultistepscheduler"}},
    {"dpm++ 2m sde", SamplerKind::DpmSolver2MSde, {"dpmpp2msde", "dpmpp2msdegpu", "sdedpmsolverpp"}},
    {"dpm++ 2m sde heun", SamplerKind::DpmSolver2MSde, {"dpmpp2msdeheun", "dpmpp2msdeheungpu"}, true},
    {"unipc", SamplerKind::UniPc, {"unipc", "unipcbh2", "unipcmultistep", "unipcmultistepscheduler"}},
    {"lcm", SamplerKind::Lcm, {"lcm", "lcmscheduler"}},
    {"tcd", SamplerKind::Tcd, {"tcd", "tcdscheduler"}},
    {"flow euler",
     SamplerKind::FlowEuler,
     {"floweuler", "flowmatcheuler", "flowmatcheulerdiscrete", "flowmatcheulerdiscretescheduler"}},
}};

struct NamedSchedule {
    std::string_view spelling;
    SigmaSpacing sigmas = SigmaSpacing::Plain;
    std::optional<TimestepSpacing> timesteps{};
};

const std::array<NamedSchedule, 8> kSchedules{{
    {"karras", SigmaSpacing::Karras},
    {"exponential", SigmaSpacing::Exponential},
    {"sgmuniform", SigmaSpacing::Plain, TimestepSpacing::Trailing},
    {"ddimuniform", SigmaSpacing::Plain, TimestepSpacing::Leading},
    {"uniform"},
    {"normal"},
    {"simple"},
    {"automatic"},
}};

std::string spelled(std::string_view name) {
    std::string result;
    for (char c : name) {
        if (c == '+') result += 'p';
        if (std::isalnum(static_cast<unsigned char>(c)))
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
}

const NamedSampler* samplerSpelled(std::string_view spelling) {
    for (const NamedSampler& sampler : kSamplers)
        if (!spelling.empty() && std::ranges::find(sampler.spellings, spelling) != sampler.spellings.end())
            return &sampler;
    return nullptr;
}

/// Takes the schedule's name off the end, if there is one.
NamedSchedule splitSchedule(std::string& spelling) {
    for (const NamedSchedule& schedule : kSchedules) {
        if (!spelling.ends_with(schedule.spelling)) continue;
        spelling.resize(spelling.size() - schedule.spelling.size());
        return schedule;
    }
    return {};
}

bool takesSigmas(SamplerKind kind) {
    return kind != SamplerKind::Ddim && kind != SamplerKind::Lcm && kind != SamplerKind::Tcd &&
           kind != SamplerKind::FlowEuler;
}

TimestepSpacing usualSpacing(SamplerKind kind) {
    return takesSigmas(kind) ? TimestepSpacing::Linspace : TimestepSpacing::Leading;
}

}  // namespace

Result<SamplerSettings> settingsNamed(std::string_view name, const SamplerSettings& modelBasis) {
    std::string spelling = spelled(name);
    if (spelling.empty()) return modelBasis;
    const NamedSchedule schedule = splitSchedule(spelling);
    const NamedSampler* sampler = samplerSpelled(spelling);
    if (!sampler)
        return fail(StatusCode::BadInput,
                    fmt::format("there is no sampler '{}'; there are {} (karras or exponential may follow the name)",
                                name.substr(0, 80), fmt::join(samplerNames(), ", ")));
    if (schedule.sigmas != SigmaSpacing::Plain && !takesSigmas(sampler->kind))
        return fail(StatusCode::BadInput, fmt::format("sampler '{}' has a spacing of its own and takes no {}",
                                                      sampler->name, schedule.spelling));
    const bool flows = modelBasis.prediction == PredictionType::Flow;
    const bool canFlow = sampler->kind == SamplerKind::FlowEuler || sampler->kind == SamplerKind::Euler;
    if (flows ? !canFlow : sampler->kind == SamplerKind::FlowEuler)
        return fail(StatusCode::BadInput,
                    fmt::format("sampler '{}' does not go with this model, which predicts {}; choose another",
                                sampler->name, flows ? "flow (only 'flow euler' does)" : "no flow"));
    SamplerSettings settings;
    settings.kind = flows ? SamplerKind::FlowEuler : sampler->kind;
    settings.prediction = modelBasis.prediction;
    settings.betas = modelBasis.betas;
    settings.shift = modelBasis.shift;
    settings.stepsOffset = modelBasis.stepsOffset;
    settings.endsClean = modelBasis.endsClean;
    settings.clipRange = modelBasis.clipRange;
    settings.sigmas = schedule.sigmas;
    settings.heunCorrection = sampler->heunCorrection;
    if (settings.kind == SamplerKind::Tcd) settings.eta = kUsualTcdEta;
    const bool trails = modelBasis.timesteps == TimestepSpacing::Trailing || modelBasis.betas.zeroTerminalSnr;
    settings.timesteps = schedule.timesteps.value_or(trails ? TimestepSpacing::Trailing : usualSpacing(settings.kind));
    return settings;
}

std::vector<std::string> samplerNames() {
    std::vector<std::string> names;
    for (const NamedSampler& sampler : kSamplers) names.emplace_back(sampler.name);
    return names;
}

std::string nameOf(const SamplerSettings& settings) {
    std::string name;
    for (const NamedSampler& sampler : kSamplers) {
        const bool fits = sampler.kind == settings.kind && (name.empty() || settings.heunCorrection);
        if (fits && (sampler.heunCorrection ? settings.heunCorrection : true)) name = sampler.name;
    }
    if (settings.sigmas == SigmaSpacing::Karras) name += " karras";
    if (settings.sigmas == SigmaSpacing::Exponential) name += " exponential";
    return name;
}

SamplerSettings latentDiffusionSettings(PredictionType prediction, bool zeroTerminalSnr) {
    SamplerSettings settings;
    settings.prediction = prediction;
    settings.betas.zeroTerminalSnr = zeroTerminalSnr;
    settings.timesteps = zeroTerminalSnr ? TimestepSpacing::Trailing : TimestepSpacing::Leading;
    settings.stepsOffset = 1;
    settings.endsClean = zeroTerminalSnr;
    return settings;
}

}  // namespace reelbrush::diffusion
