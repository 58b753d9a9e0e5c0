#include "engine/diffusion/sampling/dpm_solver_steps.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

namespace {

/// Below this many steps the last ones are of lower order: the polynomial would swing too far.
constexpr std::size_t kFewSteps = 15;

double logRatio(const NoiseLevel& level) {
    return std::log(level.signal / level.noise);
}

}  // namespace

int DpmSolverSteps::orderOf(std::size_t i) const {
    const std::size_t step = stepOf(i), left = stepCount() - step;
    const bool few = settings().lowerOrderFinal && stepCount() < kFewSteps;
    const NoiseLevel now = level(step), next = level(step + 1);
    const bool staysOrEnds = next.noise == 0.0 || next.noise >= now.noise;
    int order = std::min(settings().solverOrder, static_cast<int>(i) + 1);
    if (left == 1 && (few || settings().eulerAtFinal || staysOrEnds)) order = 1;
    if (left == 2 && few) order = std::min(order, 2);
    return order;
}

DpmSolverSteps::Mix DpmSolverSteps::mixOf(std::size_t step, int order) const {
    const NoiseLevel now = level(step), next = level(step + 1);
    const bool stochastic = settings().kind == SamplerKind::DpmSolver2MSde;
    // with fresh noise the same integrals run over twice the distance
    const double h = (logRatio(next) - logRatio(now)) * (stochastic ? 2.0 : 1.0);
    const double decay = std::exp(-h);
    Mix mix;
    mix.latent = next.noise / now.noise * (stochastic ? std::sqrt(decay) : 1.0);
    mix.clean = -next.signal * std::expm1(-h);
    if (order == 2 && !settings().heunCorrection) mix.first = mix.clean / 2;
    if (order == 3 || (order == 2 && settings().heunCorrection)) mix.first = next.signal * (std::expm1(-h) / h + 1.0);
    if (order == 3) mix.second = next.signal * (0.5 - (std::expm1(-h) + h) / (h * h));
    if (stochastic) mix.noise = next.noise * std::sqrt(-std::expm1(-h));
    return mix;
}

void DpmSolverSteps::advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                             NoiseSource& noise) {
    const std::size_t step = stepOf(i);
    const int order = orderOf(i);
    const Mix mix = mixOf(step, order);
    std::rotate(std::begin(estimates_), std::end(estimates_) - 1, std::end(estimates_));
    estimates_[0].resize(latents.size());
    if (settings().kind == SamplerKind::DpmSolver2MSde) {
        fresh_.resize(latents.size());
        noise.fill(fresh_);
    }
    // distances of the last estimates, in strides of this step
    const auto distance = [&](std::size_t from, std::size_t to) { return logRatio(level(to)) - logRatio(level(from)); };
    const double stride = distance(step, step + 1);
    const double r0 = order >= 2 ? distance(step - 1, step) / stride : 1.0;
    const double r1 = order >= 3 ? distance(step - 2, step - 1) / stride : 1.0;
    for (std::size_t k = 0; k < latents.size(); ++k) {
        const double clean = cleanEstimate(level(step), prediction[k], latents[k]);
        estimates_[0][k] = static_cast<float>(clean);
        double next = mix.latent * latents[k] + mix.clean * clean;
        if (order >= 2) {
            const double difference = (clean - estimates_[1][k]) / r0;
            double first = difference;
            if (order >= 3) {
                const double bend = (difference - (estimates_[1][k] - estimates_[2][k]) / r1) / (r0 + r1);
                first += r0 * bend;
                next += mix.second * bend;
            }
            next += mix.first * first;
        }
        if (mix.noise > 0.0) next += mix.noise * fresh_[k];
        latents[k] = static_cast<float>(next);
    }
}

}  // namespace reelbrush::diffusion
