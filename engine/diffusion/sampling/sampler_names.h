#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/sampling/sampler_settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// The sampler that an artist names, for the model whose own settings are modelBasis: noise schedule, prediction, steps
/// offset and clean end stay the model's; timesteps are spaced as the sampler has it, or trailing where the model's
/// are. name: in the spelling of A1111 ("DPM++ 2M SDE Karras"), ComfyUI ("dpmpp_2m_sde", "euler_ancestral karras") or
/// diffusers ("EulerDiscreteScheduler"); capitals and separators do not matter. A schedule's name may follow: karras,
/// exponential, sgm uniform (trailing), ddim uniform (leading), normal, simple, uniform, automatic. Empty: modelBasis.
/// Errors: BadInput; the message lists the names, or says why the sampler does not go with the model.
Result<SamplerSettings> settingsNamed(std::string_view name, const SamplerSettings& modelBasis);

/// The names to offer, in the order to offer them.
std::vector<std::string> samplerNames();

/// The name of a sampler's settings, one of samplerNames() or with a schedule's name after it.
std::string nameOf(const SamplerSettings& settings);

/// What latent diffusion models (SD 1.5, SD 2.x, SDXL) are trained for, where no configuration says it: DDIM, leading
/// timesteps with an offset of one; trailing ones with a zero-SNR schedule.
SamplerSettings latentDiffusionSettings(PredictionType prediction, bool zeroTerminalSnr);

}  // namespace reelbrush::diffusion
