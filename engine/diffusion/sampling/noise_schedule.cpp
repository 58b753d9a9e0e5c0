#include "engine/diffusion/sampling/noise_schedule.h"

#include "engine/diffusion/networks/config_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reelbrush::diffusion {

namespace {

constexpr int kMostTimesteps = 100'000;

double cosineShare(double progress) {
    const double root = std::cos((progress + 0.008) / 1.008 * std::numbers::pi / 2);
    return root * root;
}

double betaAt(const NoiseSchedule::Betas& betas, int t) {
    const double total = betas.trainingTimesteps;
    const double progress = t / std::max(1.0, total - 1);
    switch (betas.spacing) {
        case BetaSpacing::Linear:
            return betas.start + (betas.end - betas.start) * progress;
        case BetaSpacing::ScaledLinear: {
            const double root = std::sqrt(betas.start) + (std::sqrt(betas.end) - std::sqrt(betas.start)) * progress;
            return root * root;
        }
        case BetaSpacing::SquaredCosine:
            return std::min(0.999, 1.0 - cosineShare((t + 1) / total) / cosineShare(t / total));
    }
    return 0.0;
}

Result<BetaSpacing> spacingNamed(const std::string& name) {
    if (name == "linear") return BetaSpacing::Linear;
    if (name == "scaled_linear") return BetaSpacing::ScaledLinear;
    if (name == "squaredcos_cap_v2") return BetaSpacing::SquaredCosine;
    return fail(StatusCode::Unsupported, fmt::format("scheduler beta_schedule '{}' is not supported; supported are "
                                                     "linear, scaled_linear and squaredcos_cap_v2",
                                                     name.substr(0, 80)));
}

}  // namespace

NoiseSchedule NoiseSchedule::fromBetas(const Betas& betas) {
    NoiseSchedule schedule;
    double product = 1.0;
    for (int t = 0; t < betas.trainingTimesteps; ++t) {
        product *= 1.0 - betaAt(betas, t);
        schedule.signalShare.push_back(product);
    }
    if (betas.zeroTerminalSnr) {
        const double first = std::sqrt(schedule.signalShare.front());
        const double last = std::sqrt(schedule.signalShare.back());
        for (double& share : schedule.signalShare) {
            const double root = (std::sqrt(share) - last) * first / (first - last);
            share = root * root;
        }
    }
    return schedule;
}

Result<NoiseSchedule::Betas> NoiseSchedule::betasFromJson(const nlohmann::json& json, const Betas& otherwise) {
    const ConfigFields fields(json, "scheduler configuration");
    Betas betas = otherwise;
    RB_ASSIGN(betas.trainingTimesteps, fields.positive("num_train_timesteps", otherwise.trainingTimesteps));
    RB_ASSIGN(betas.start, fields.number("beta_start", static_cast<float>(otherwise.start)));
    RB_ASSIGN(betas.end, fields.number("beta_end", static_cast<float>(otherwise.end)));
    RB_ASSIGN(betas.zeroTerminalSnr, fields.flag("rescale_betas_zero_snr", otherwise.zeroTerminalSnr));
    if (json.is_object() && json.contains("beta_schedule")) {
        RB_ASSIGN(const std::string spacing, fields.text("beta_schedule"));
        RB_ASSIGN(betas.spacing, spacingNamed(spacing));
    }
    if (json.is_object() && json.contains("trained_betas") && !json["trained_betas"].is_null())
        return fail(StatusCode::Unsupported, "scheduler configuration: trained_betas are not supported");
    if (betas.trainingTimesteps < 2 || betas.trainingTimesteps > kMostTimesteps)
        return fail(StatusCode::BadInput, fmt::format("scheduler configuration: num_train_timesteps must lie between 2 "
                                                      "and {}, got {}",
                                                      kMostTimesteps, betas.trainingTimesteps));
    if (!(betas.start > 0 && betas.end >= betas.start && betas.end < 1))
        return fail(StatusCode::BadInput, "scheduler configuration: betas must satisfy 0 < start <= end < 1");
    return betas;
}

}  // namespace reelbrush::diffusion
