#pragma once

#include "engine/core/status.h"
#include "engine/weights/diffusion_model.h"

#include <filesystem>
#include <memory>

namespace reelbrush::weights {

/// True for a TAESD encoder or decoder alone, as its authors publish it: layers named by bare numbers.
bool isTaesdHalf(const ListedWeights& stored);

/// Joins such a half with the other one, which must lie beside it with "encoder" for "decoder" in its name, or the
/// other way round.
/// Errors: BadInput where the other half is missing (with the name that was looked for) or of another kind.
Result<ModelPart> openTaesdHalves(const std::filesystem::path& path, std::shared_ptr<const ListedWeights> half);

}  // namespace reelbrush::weights
