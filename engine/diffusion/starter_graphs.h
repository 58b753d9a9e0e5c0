#pragma once

#include "engine/diffusion/starter_model.h"
#include "kernels/plan/graph.h"

namespace reelbrush::diffusion {

/// What the starter model's stages are compiled for.
struct StarterShape {
    int width = 512, height = 512;  ///< of the frame, multiples of 16
    int frames = 1;                 ///< at once, each on its own
    int prompts = 1;                ///< 2 with guidance: null tokens for all frames, then the style for all of them

    /// How many the tokens are given for; a style alone is the same for all frames.
    int contexts() const { return prompts == 1 ? 1 : prompts * frames; }
};

/// "picture" [frames,H,W,3] in [0,1] → "latents" [frames,H/8,W/8,16].
kernels::Graph starterEncodeGraph(const StarterModel& model, const StarterShape& shape);

/// "latents" and "structure" [frames,H/8,W/8,16], "timestep" [1], "freedom" [1] in 0..1000, "tokens" [contexts,16,256]
/// → "prediction" [prompts * frames,H/8,W/8,16] (v).
kernels::Graph starterDenoiseGraph(const StarterModel& model, const StarterShape& shape);

/// "latents" [frames,H/8,W/8,16] → "picture" [frames,H,W,3], clamped to [0,1].
kernels::Graph starterDecodeGraph(const StarterModel& model, const StarterShape& shape);

/// Image encoder: "picture" [1,224,224,3] normalised → "hidden" [1,197,192].
kernels::Graph starterVisionGraph(const StarterModel& model);

/// Resampler: "hidden" [1,197,192] → "tokens" [1,16,256].
kernels::Graph starterResamplerGraph(const StarterModel& model);

}  // namespace reelbrush::diffusion
