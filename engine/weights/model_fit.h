#pragma once

#include "engine/core/status.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/model_part_files.h"
#include "engine/weights/motion_module.h"

namespace reelbrush::weights {

/// Whether an addition was made for this model: same family, same widths. Errors: BadInput naming both and what each
/// was made for.
Status checkFits(const ControlNetFiles& controlNet, const DiffusionModelFiles& model);
Status checkFits(const MotionModuleFiles& motion, const DiffusionModelFiles& model);

}  // namespace reelbrush::weights
