#pragma once

#include "engine/core/status.h"
#include "engine/weights/base_family.h"

#include <nlohmann/json.hpp>

namespace reelbrush::weights {

/// Told from a UNet's or ControlNet's configuration: with sizes as conditions SDXL, with linear projections SD 2.x,
/// else SD 1.5. Widths do not matter, so that small models of each kind are recognised too.
BaseFamily familyOf(const nlohmann::json& config);

/// Told from a UNet's input channels.
/// Errors: Unsupported for other numbers than 4, 8 and 9 (SD 2.x's depth model has 5, its upscaler 7).
Result<ModelVariant> variantOf(const nlohmann::json& unetConfig);

}  // namespace reelbrush::weights
