#pragma once

#include "engine/core/memory_holder.h"
#include "kernels/plan/backend.h"

#include <cstddef>
#include <span>
#include <vector>

namespace reelbrush::diffusion {

// The parts of a painter, as memory reports and traces name them. What a part's plans take while they are compiled is
// counted for it: see kernels::HeldFor.
inline constexpr const char* kUnetPart = "UNet";
inline constexpr const char* kVaePart = "VAE";
inline constexpr const char* kControlPart = "ControlNets";
inline constexpr const char* kTextPart = "text encoders";
inline constexpr const char* kPicturePart = "image encoder";
inline constexpr const char* kWorkSpacePart = "work space";

/// What a part was predicted to hold where the backend computes.
struct PredictedPart {
    const char* part;
    std::size_t bytes = 0;
};

/// A backend's accounts: first the parts that were predicted, then whoever else holds or held something. Empty for
/// backends that keep none.
std::vector<MemoryHolder> holdersOf(kernels::Backend& backend, std::span<const PredictedPart> predicted);

}  // namespace reelbrush::diffusion
