#include "engine/diffusion/sampling/sampler.h"

#include "engine/diffusion/sampling/ddim_steps.h"
#include "engine/diffusion/sampling/dpm_solver_steps.h"
#include "engine/diffusion/sampling/euler_steps.h"
#include "engine/diffusion/sampling/heun_steps.h"
#include "engine/diffusion/sampling/lcm_steps.h"
#include "engine/diffusion/sampling/tcd_steps.h"
#include "engine/diffusion/sampling/unipc_steps.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

Sampler::Sampler(SamplerSettings settings, SamplerLevels levels)
    : settings_(std::move(settings)), levels_(std::move(levels)) {
    for (std::size_t s = levels_.first; s < stepCount(); ++s) evaluations_.push_back(s);
}

bool Sampler::drawsNoise() const {
    switch (settings_.kind) {
        case SamplerKind::EulerAncestral:
        case SamplerKind::DpmSolver2MSde:
        case SamplerKind::Lcm:
            return true;
        case SamplerKind::Ddim:
        case SamplerKind::Tcd:
            return settings_.eta > 0.0;
        default:
            return false;
    }
}

double Sampler::startScale() const {
    const NoiseLevel& start = level(firstStep());
    if (!isVarianceExploding(settings_.kind)) return 1.0;
    // leading timesteps do not begin at pure noise, whose variance the clean latents would have added to
    return settings_.timesteps == TimestepSpacing::Leading ? std::hypot(start.noise, 1.0) : start.noise;
}

Status Sampler::start(std::span<const float> clean, std::span<const float> noise, std::span<float> latents) {
    RB_ENSURE(noise.size() == latents.size() && (clean.empty() || clean.size() == latents.size()),
              "latents and noise of different sizes");
    next_ = 0;
    if (clean.empty()) {
        const double scale = startScale();
        std::ranges::transform(noise, latents.begin(), [&](float n) { return static_cast<float>(scale * n); });
    } else {
        addNoise(clean, noise, 0, latents);
    }
    return {};
}

void Sampler::scaleInput(std::size_t i, std::span<const float> latents, std::span<float> out) const {
    const NoiseLevel& at = level(stepOf(i));
    const double scale = isVarianceExploding(settings_.kind) ? 1.0 / std::hypot(at.signal, at.noise) : 1.0;
    std::ranges::transform(latents, out.begin(), [&](float x) { return static_cast<float>(scale * x); });
}

Status Sampler::step(std::size_t i, std::span<const float> prediction, std::span<float> latents, NoiseSource& noise) {
    RB_ENSURE(i == next_ && i < evaluations(), "a sampler's step out of turn");
    RB_ENSURE(prediction.size() == latents.size(), "a prediction of another size than the latents");
    ++next_;
    advance(i, prediction, latents, noise);
    return {};
}

void Sampler::addNoise(std::span<const float> clean, std::span<const float> noise, std::size_t i,
                       std::span<float> out) const {
    const NoiseLevel& at = level(stepOf(i));
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = static_cast<float>(at.signal * clean[k] + at.noise * noise[k]);
}

double Sampler::cleanEstimate(const NoiseLevel& at, double prediction, double latent) const {
    const double square = at.signal * at.signal + at.noise * at.noise;
    switch (settings_.prediction) {
        case PredictionType::Epsilon:
            return (latent - at.noise * prediction) / at.signal;
        case PredictionType::VPrediction:
            return at.signal * latent / square - at.noise / std::sqrt(square) * prediction;
        case PredictionType::Sample:
            return prediction;
        case PredictionType::Flow:
            return latent - at.noise * prediction;
    }
    return 0.0;
}

double Sampler::noiseEstimate(const NoiseLevel& at, double prediction, double latent) const {
    switch (settings_.prediction) {
        case PredictionType::Epsilon:
            return prediction;
        case PredictionType::VPrediction:  // needs no division by a signal that may be zero
            return at.signal * prediction + at.noise * latent;
        default:
            return (latent - at.signal * cleanEstimate(at, prediction, latent)) / at.noise;
    }
}

Result<std::unique_ptr<Sampler>> Sampler::create(const SamplerSettings& settings, int steps, double strength) {
    RB_ASSIGN(SamplerLevels levels, makeLevels(settings, steps, strength));
    switch (settings.kind) {
        case SamplerKind::Ddim:
            return std::unique_ptr<Sampler>(std::make_unique<DdimSteps>(settings, std::move(levels)));
        case SamplerKind::Euler:
        case SamplerKind::EulerAncestral:
        case SamplerKind::FlowEuler:
            return std::unique_ptr<Sampler>(std::make_unique<EulerSteps>(settings, std::move(levels)));
        case SamplerKind::Heun:
            return std::unique_ptr<Sampler>(std::make_unique<HeunSteps>(settings, std::move(levels)));
        case SamplerKind::DpmSolver2M:
        case SamplerKind::DpmSolver2MSde:
            return std::unique_ptr<Sampler>(std::make_unique<DpmSolverSteps>(settings, std::move(levels)));
        case SamplerKind::UniPc:
            return std::unique_ptr<Sampler>(std::make_unique<UniPcSteps>(settings, std::move(levels)));
        case SamplerKind::Lcm:
            return std::unique_ptr<Sampler>(std::make_unique<LcmSteps>(settings, std::move(levels)));
        case SamplerKind::Tcd:
            return std::unique_ptr<Sampler>(std::make_unique<TcdSteps>(settings, std::move(levels)));
    }
    return fail(StatusCode::Internal, "internal error: a sampler kind without steps");
}

}  // namespace reelbrush::diffusion
