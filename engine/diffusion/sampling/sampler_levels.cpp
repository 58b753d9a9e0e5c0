#include "engine/diffusion/sampling/sampler_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

namespace {

constexpr double kKarrasRho = 7.0;
/// What is left of the signal at the last timestep of a zero-SNR schedule where a sigma must stay finite.
constexpr double kLeastSignalShare = 0x1p-24;

bool isMultistep(SamplerKind kind) {
    return kind == SamplerKind::DpmSolver2M || kind == SamplerKind::DpmSolver2MSde || kind == SamplerKind::UniPc;
}

bool usesSigmas(SamplerKind kind) {
    return isVarianceExploding(kind) || isMultistep(kind);
}

double sigmaOf(double signalShare) {
    return std::sqrt((1.0 - signalShare) / signalShare);
}

NoiseLevel preserving(double signalShare) {
    return {std::sqrt(signalShare), std::sqrt(1.0 - signalShare)};
}

NoiseLevel levelOfSigma(SamplerKind kind, double sigma) {
    if (isVarianceExploding(kind)) return {1.0, sigma};
    const double signal = 1.0 / std::sqrt(sigma * sigma + 1.0);
    return {signal, sigma * signal};
}

/// The multistep solvers leave out the clean end of the range, as their last step goes there by itself; the Euler
/// family keeps fractions of timesteps.
std::vector<double> spacedTimesteps(const SamplerSettings& settings, int steps) {
    const int total = settings.betas.trainingTimesteps;
    const int leftOut = isMultistep(settings.kind) ? 1 : 0;
    const int parts = steps + leftOut;
    std::vector<double> timesteps;
    for (int i = 0; i < steps; ++i) {
        const int fromClean = steps - 1 - i + leftOut;
        double timestep = 0.0;
        switch (settings.timesteps) {
            case TimestepSpacing::Linspace:
                timestep = (total - 1.0) * fromClean / std::max(1, parts - 1);
                if (!isVarianceExploding(settings.kind)) timestep = std::nearbyint(timestep);
                break;
            case TimestepSpacing::Leading:
                timestep = fromClean * (total / parts) + settings.stepsOffset;
                break;
            case TimestepSpacing::Trailing:
                timestep = std::nearbyint(total - i * (static_cast<double>(total) / steps)) - 1;
                break;
        }
        timesteps.push_back(std::clamp(timestep, 0.0, total - 1.0));
    }
    return timesteps;
}

/// The steps of the distillation, every k-th timestep, thinned out to the steps wanted.
Result<std::vector<double>> distilledTimesteps(const SamplerSettings& settings, int steps, double strength) {
    const int every = settings.betas.trainingTimesteps / settings.distillationSteps;
    const int available = static_cast<int>(settings.distillationSteps * strength);
    if (steps > available)
        return fail(StatusCode::BadInput,
                    fmt::format("this few-step sampler can do at most {} steps at strength {:g}, not {}; lower the "
                                "steps or raise the strength",
                                available, strength, steps));
    std::vector<double> timesteps;
    for (int i = 0; i < steps; ++i) {
        const auto skipped = static_cast<int>(std::floor(i * (static_cast<double>(available) / steps)));
        timesteps.push_back((available - skipped) * every - 1.0);
    }
    return timesteps;
}

std::vector<double> trainingSigmas(const NoiseSchedule& schedule) {
    std::vector<double> sigmas;
    for (double share : schedule.signalShare) sigmas.push_back(sigmaOf(std::max(share, kLeastSignalShare)));
    return sigmas;
}

double interpolated(const std::vector<double>& values, double at) {
    const auto low = std::min(static_cast<std::size_t>(at), values.size() - 1);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (values[high] - values[low]) * (at - static_cast<double>(low));
}

/// Where a sigma lies in the training range, by its logarithm.
double timestepOfSigma(const std::vector<double>& training, double sigma) {
    const auto above = std::ranges::upper_bound(training, sigma);
    const auto found = static_cast<std::size_t>(above - training.begin());
    const std::size_t low = std::min(found == 0 ? 0 : found - 1, training.size() - 2);
    const double from = std::log(training[low]), to = std::log(training[low + 1]);
    const double share = (std::log(std::max(sigma, 1e-10)) - from) / (to - from);
    return static_cast<double>(low) + std::clamp(share, 0.0, 1.0);
}

double spacedSigma(SigmaSpacing spacing, double largest, double smallest, double progress) {
    if (spacing == SigmaSpacing::Exponential)
        return std::exp(std::log(largest) + (std::log(smallest) - std::log(largest)) * progress);
    const double from = std::pow(largest, 1 / kKarrasRho), to = std::pow(smallest, 1 / kKarrasRho);
    return std::pow(from + (to - from) * progress, kKarrasRho);
}

/// The multistep solvers tell the model whole timesteps. diffusers cuts exponential ones off, among them the very
/// first, which misses a whole number by its rounding.
double wholeTimestep(double timestep, SigmaSpacing spacing) {
    constexpr double kRounding = 1e-6;
    if (spacing == SigmaSpacing::Karras) return std::nearbyint(timestep);
    return std::max(0.0, std::floor(timestep - kRounding));
}

SamplerLevels sigmaLevels(const SamplerSettings& settings, const NoiseSchedule& schedule,
                          std::vector<double> timesteps) {
    const std::vector<double> training = trainingSigmas(schedule);
    std::vector<double> sigmas;
    for (double timestep : timesteps) sigmas.push_back(interpolated(training, timestep));
    if (settings.sigmas != SigmaSpacing::Plain) {
        const bool wholeRange = isMultistep(settings.kind);
        const double largest = settings.sigmaMax.value_or(wholeRange ? training.back() : sigmas.front());
        const double smallest = settings.sigmaMin.value_or(wholeRange ? training.front() : sigmas.back());
        const double last = std::max<double>(1.0, static_cast<double>(sigmas.size()) - 1);
        for (std::size_t i = 0; i < sigmas.size(); ++i) {
            sigmas[i] = spacedSigma(settings.sigmas, largest, smallest, static_cast<double>(i) / last);
            timesteps[i] = timestepOfSigma(training, sigmas[i]);
            if (wholeRange) timesteps[i] = wholeTimestep(timesteps[i], settings.sigmas);
        }
    }
    // spacing that ends there has ended there already, but for rounding
    const bool ended = sigmas.back() < training.front() * (1 + 1e-9);
    sigmas.push_back(settings.endsAtZeroSigma ? 0.0 : ended ? sigmas.back() : training.front());
    SamplerLevels levels;
    levels.timesteps = std::move(timesteps);
    for (double sigma : sigmas) levels.levels.push_back(levelOfSigma(settings.kind, sigma));
    return levels;
}

SamplerLevels shareLevels(const SamplerSettings& settings, const NoiseSchedule& schedule,
                          std::vector<double> timesteps) {
    SamplerLevels levels;
    for (double timestep : timesteps) {
        double share = schedule.signalShare[static_cast<std::size_t>(timestep)];
        // a prediction of pure noise says nothing of the clean latents where no signal is left
        if (settings.prediction == PredictionType::Epsilon) share = std::max(share, kLeastSignalShare);
        levels.levels.push_back(preserving(share));
    }
    const bool endsClean =
        settings.kind == SamplerKind::Lcm || (settings.kind == SamplerKind::Ddim && settings.endsClean);
    levels.levels.push_back(preserving(endsClean ? 1.0 : schedule.signalShare.front()));
    levels.timesteps = std::move(timesteps);
    return levels;
}

SamplerLevels flowLevels(const SamplerSettings& settings, int steps) {
    const double total = settings.betas.trainingTimesteps;
    const auto shifted = [&](double sigma) { return settings.shift * sigma / (1 + (settings.shift - 1) * sigma); };
    const double smallest = shifted(1.0 / total);
    SamplerLevels levels;
    for (int i = 0; i < steps; ++i) {
        const double even = settings.customTimesteps.empty()
                                ? 1.0 + (smallest - 1.0) * i / std::max(1, steps - 1)
                                : settings.customTimesteps[static_cast<std::size_t>(i)] / total;
        const double sigma = shifted(even);
        levels.timesteps.push_back(sigma * total);
        levels.levels.push_back({1.0 - sigma, sigma});
    }
    levels.levels.push_back({1.0, 0.0});
    return levels;
}

Status checkFalling(const SamplerLevels& levels) {
    for (std::size_t i = 0; i + 1 < levels.levels.size(); ++i) {
        const NoiseLevel& now = levels.levels[i];
        const NoiseLevel& next = levels.levels[i + 1];
        const double difference = now.noise * next.signal - next.noise * now.signal;
        // the last step may stay where it is: at the first training timestep
        const bool falls = difference > 0.0 || (difference == 0.0 && i + 2 == levels.levels.size());
        if (!falls || !std::isfinite(now.noise))
            return fail(StatusCode::BadInput,
                        fmt::format("{} steps do not fit these sampler settings: the noise would not fall between "
                                    "steps {} and {}; take fewer steps",
                                    levels.timesteps.size(), i + 1, i + 2));
    }
    return {};
}

}  // namespace

bool isVarianceExploding(SamplerKind kind) {
    return kind == SamplerKind::Euler || kind == SamplerKind::EulerAncestral || kind == SamplerKind::Heun;
}

Result<SamplerLevels> makeLevels(const SamplerSettings& settings, int steps, double strength) {
    RB_TRY(checkSettings(settings));
    const int total = settings.betas.trainingTimesteps;
    if (steps < 1 || steps > total)
        return fail(StatusCode::BadInput, fmt::format("steps must lie between 1 and {}, got {}", total, steps));
    if (!(strength > 0.0 && strength <= 1.0))
        return fail(StatusCode::BadInput, fmt::format("strength must be above 0 and at most 1, got {:g}", strength));
    const auto& custom = settings.customTimesteps;
    if (!custom.empty() && custom.size() != static_cast<std::size_t>(steps))
        return fail(StatusCode::BadInput,
                    fmt::format("the sampler has a list of {} timesteps, so steps must be {}, not {}", custom.size(),
                                custom.size(), steps));

    SamplerLevels levels;
    const bool distilled = (settings.kind == SamplerKind::Lcm || settings.kind == SamplerKind::Tcd) && custom.empty();
    if (settings.kind == SamplerKind::FlowEuler) {
        levels = flowLevels(settings, steps);
    } else {
        std::vector<double> timesteps(custom.begin(), custom.end());
        if (distilled) {
            RB_ASSIGN(timesteps, distilledTimesteps(settings, steps, strength));
        } else if (custom.empty()) {
            timesteps = spacedTimesteps(settings, steps);
        }
        const NoiseSchedule schedule = NoiseSchedule::fromBetas(settings.betas);
        levels = usesSigmas(settings.kind) ? sigmaLevels(settings, schedule, std::move(timesteps))
                                           : shareLevels(settings, schedule, std::move(timesteps));
    }
    RB_TRY(checkFalling(levels));
    if (!distilled) levels.first = static_cast<std::size_t>(steps - static_cast<int>(steps * strength));
    if (levels.first == static_cast<std::size_t>(steps))
        return fail(StatusCode::BadInput, fmt::format("strength {:g} leaves none of {} steps to do; raise the strength "
                                                      "or the steps to at least {}",
                                                      strength, steps, std::ceil(1.0 / strength)));
    return levels;
}

}  // namespace reelbrush::diffusion
