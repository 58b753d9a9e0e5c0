#pragma once

#include "engine/core/status.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace reelbrush::diffusion {

/// How much of the signal is left at each training timestep: alphas_cumprod of diffusers, falling from near 1.
struct NoiseSchedule {
    std::vector<double> signalShare;  ///< [training timesteps], in [0,1]

    struct Betas {
        int trainingTimesteps = 1000;
        double start = 0.00085, end = 0.012;
        bool squareRootSpaced = true;  ///< "scaled_linear": the square roots of the betas are evenly spaced
        /// Rescales so that the last timestep is pure noise (Lin et al. 2023, algorithm 1).
        bool zeroTerminalSnr = false;
    };
    static NoiseSchedule fromBetas(const Betas& betas);

    /// From diffusers' scheduler_config.json. Errors: BadInput (field named), Unsupported (beta_schedule).
    static Result<NoiseSchedule> fromJson(const nlohmann::json& json);
};

}  // namespace reelbrush::diffusion
