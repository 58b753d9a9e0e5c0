#pragma once

#include "engine/core/status.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace reelbrush::diffusion {

/// How the betas of a noise schedule lie between the first and the last.
enum class BetaSpacing {
    Linear,         ///< "linear": evenly (motion modules of SD 1.5)
    ScaledLinear,   ///< "scaled_linear": their square roots evenly (SD 1.5, 2.x, SDXL)
    SquaredCosine,  ///< "squaredcos_cap_v2" (Nichol and Dhariwal 2021); start and end do not count
};

/// How much of the signal is left at each training timestep: alphas_cumprod of diffusers, falling from near 1.
struct NoiseSchedule {
    std::vector<double> signalShare;  ///< [training timesteps], in [0,1]

    struct Betas {
        int trainingTimesteps = 1000;  ///< 2..100,000
        double start = 0.00085, end = 0.012;
        BetaSpacing spacing = BetaSpacing::ScaledLinear;
        /// Rescales so that the last timestep is pure noise (Lin et al. 2023, algorithm 1).
        bool zeroTerminalSnr = false;

        bool operator==(const Betas&) const = default;
    };
    static NoiseSchedule fromBetas(const Betas& betas);

    /// The schedule of diffusers' scheduler_config.json; fields that are missing are taken from `otherwise`.
    /// Errors: BadInput (field named), Unsupported (beta_schedule, trained_betas).
    static Result<Betas> betasFromJson(const nlohmann::json& json, const Betas& otherwise);
};

}  // namespace reelbrush::diffusion
