#pragma once

#include "engine/diffusion/starter_model.h"
#include "kernels/plan/graph.h"

namespace reelbrush::diffusion {

/// The starter model's stages as graphs, for one size. width and height: of the frame, multiples of 16.

/// "picture" [1,H,W,3] in [0,1] → "latents" [1,H/8,W/8,16].
kernels::Graph starterEncodeGraph(const StarterModel& model, int width, int height);

/// "latents" and "structure" [1,H/8,W/8,16], "timestep" [1], "freedom" [1] in 0..1000, "tokens" [batch,16,256] →
/// "prediction" [batch,H/8,W/8,16] (v). batch 2: null tokens first, style second.
kernels::Graph starterDenoiseGraph(const StarterModel& model, int width, int height, int batch);

/// "latents" [1,H/8,W/8,16] → "picture" [1,H,W,3], clamped to [0,1].
kernels::Graph starterDecodeGraph(const StarterModel& model, int width, int height);

/// Image encoder: "picture" [1,224,224,3] normalised → "hidden" [1,197,192].
kernels::Graph starterVisionGraph(const StarterModel& model);

/// Resampler: "hidden" [1,197,192] → "tokens" [1,16,256].
kernels::Graph starterResamplerGraph(const StarterModel& model);

}  // namespace reelbrush::diffusion
