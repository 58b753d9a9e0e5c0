#include "engine/diffusion/sampling/noise_schedule.h"

#include "engine/diffusion/networks/config_fields.h"

#include <fmt/format.h>

#include <cmath>

namespace reelbrush::diffusion {

NoiseSchedule NoiseSchedule::fromBetas(const Betas& betas) {
    NoiseSchedule schedule;
    const double from = betas.squareRootSpaced ? std::sqrt(betas.start) : betas.start;
    const double to = betas.squareRootSpaced ? std::sqrt(betas.end) : betas.end;
    double product = 1.0;
    for (int t = 0; t < betas.trainingTimesteps; ++t) {
        const double spaced = from + (to - from) * t / std::max(1, betas.trainingTimesteps - 1);
        product *= 1.0 - (betas.squareRootSpaced ? spaced * spaced : spaced);
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

Result<NoiseSchedule> NoiseSchedule::fromJson(const nlohmann::json& json) {
    const ConfigFields fields(json, "scheduler configuration");
    Betas betas;
    RB_ASSIGN(betas.trainingTimesteps, fields.positive("num_train_timesteps", 1000));
    RB_ASSIGN(betas.start, fields.number("beta_start", 0.00085f));
    RB_ASSIGN(betas.end, fields.number("beta_end", 0.012f));
    RB_ASSIGN(betas.zeroTerminalSnr, fields.flag("rescale_betas_zero_snr", false));
    RB_ASSIGN(const std::string spacing, fields.text("beta_schedule", "scaled_linear"));
    if (spacing != "scaled_linear" && spacing != "linear")
        return fail(StatusCode::Unsupported, fmt::format("scheduler beta_schedule '{}' is not supported", spacing));
    if (betas.trainingTimesteps < 2 || betas.start <= 0 || betas.end < betas.start || betas.end >= 1)
        return fail(StatusCode::BadInput, "scheduler configuration: betas must satisfy 0 < start <= end < 1");
    betas.squareRootSpaced = spacing == "scaled_linear";
    return fromBetas(betas);
}

}  // namespace reelbrush::diffusion
