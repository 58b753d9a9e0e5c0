#include "engine/diffusion/sampling/unipc_steps.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

namespace {

double logRatio(const NoiseLevel& level) {
    return std::log(level.signal / level.noise);
}

/// Solves sum_j nodes[j]^i * x[j] = right[i]; the nodes differ, so that elimination needs no pivoting.
std::vector<double> solveVandermonde(const std::vector<double>& nodes, std::vector<double> right) {
    const std::size_t n = nodes.size();
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 1.0));
    for (std::size_t i = 1; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) rows[i][j] = rows[i - 1][j] * nodes[j];
    for (std::size_t pivot = 0; pivot < n; ++pivot)
        for (std::size_t i = pivot + 1; i < n; ++i) {
            const double factor = rows[i][pivot] / rows[pivot][pivot];
            for (std::size_t j = pivot; j < n; ++j) rows[i][j] -= factor * rows[pivot][j];
            right[i] -= factor * right[pivot];
        }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j) right[i] -= rows[i][j] * right[j];
        right[i] /= rows[i][i];
    }
    return right;
}

}  // namespace

int UniPcSteps::orderOf(std::size_t i) const {
    const std::size_t step = stepOf(i);
    const NoiseLevel now = level(step), next = level(step + 1);
    int order = std::min(settings().solverOrder, static_cast<int>(i) + 1);
    if (settings().lowerOrderFinal) order = std::min(order, static_cast<int>(stepCount() - step));
    const bool staysOrEnds = next.noise == 0.0 || next.noise >= now.noise;
    return staysOrEnds ? 1 : order;
}

UniPcSteps::Mix UniPcSteps::mixOf(std::size_t from, int order, bool correcting) const {
    const NoiseLevel now = level(from), next = level(from + 1);
    const double h = logRatio(next) - logRatio(now);
    const double growth = std::expm1(-h);
    Mix mix;
    mix.latent = next.noise / now.noise;
    mix.clean = -next.signal * growth;
    std::vector<double> nodes;
    for (int k = 1; k < order; ++k)
        nodes.push_back((logRatio(level(from - static_cast<std::size_t>(k))) - logRatio(now)) / h);
    if (correcting) nodes.push_back(1.0);
    if (nodes.empty()) return mix;

    const double size = settings().linearStepSize ? -h : growth;
    std::vector<double> shares{0.5};  // of the first order, whatever the step
    if (nodes.size() > 1) {
        std::vector<double> right;
        double integral = growth / -h - 1.0, factorial = 1.0;
        for (std::size_t k = 1; k <= nodes.size(); ++k) {
            right.push_back(integral * factorial / size);
            factorial *= static_cast<double>(k) + 1.0;
            integral = integral / -h - 1.0 / factorial;
        }
        shares = solveVandermonde(nodes, std::move(right));
    }
    for (std::size_t k = 0; k < nodes.size(); ++k)
        mix.differences.push_back(-next.signal * size * shares[k] / nodes[k]);
    return mix;
}

void UniPcSteps::correct(std::size_t step, std::span<const float> estimate, std::span<float> latents) const {
    const Mix mix = mixOf(step - 1, lastOrder_, true);
    const std::size_t older = mix.differences.size() - 1;
    for (std::size_t k = 0; k < latents.size(); ++k) {
        const double newest = estimates_[0][k];
        double corrected = mix.latent * before_[k] + mix.clean * newest;
        for (std::size_t d = 0; d < older; ++d) corrected += mix.differences[d] * (estimates_[d + 1][k] - newest);
        latents[k] = static_cast<float>(corrected + mix.differences[older] * (estimate[k] - newest));
    }
}

void UniPcSteps::advance(std::size_t i, std::span<const float> prediction, std::span<float> latents, NoiseSource&) {
    const std::size_t step = stepOf(i);
    estimate_.resize(latents.size());
    for (std::size_t k = 0; k < latents.size(); ++k)
        estimate_[k] = static_cast<float>(cleanEstimate(level(step), prediction[k], latents[k]));
    if (i > 0) correct(step, estimate_, latents);

    std::rotate(std::begin(estimates_), std::end(estimates_) - 1, std::end(estimates_));
    estimates_[0] = estimate_;
    before_.assign(latents.begin(), latents.end());
    lastOrder_ = orderOf(i);
    const Mix mix = mixOf(step, lastOrder_, false);
    for (std::size_t k = 0; k < latents.size(); ++k) {
        const double newest = estimates_[0][k];
        double next = mix.latent * latents[k] + mix.clean * newest;
        for (std::size_t d = 0; d < mix.differences.size(); ++d)
            next += mix.differences[d] * (estimates_[d + 1][k] - newest);
        latents[k] = static_cast<float>(next);
    }
}

}  // namespace reelbrush::diffusion
