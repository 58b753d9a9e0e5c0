#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// Learned word vectors (textual inversion, Gal et al. 2022): so many for each text encoder of the model that they were
/// made for.
struct TextEmbedding {
    /// For one encoder: [vectors, width].
    struct Part {
        int width = 0;
        std::vector<float> values = {};
    };

    int vectors = 0;
    std::vector<Part> parts = {};  ///< one; for SDXL two, CLIP-L's first

    /// file: safetensors with "emb_params", "string_to_param.*", "clip_l" and "clip_g", or a single tensor named by
    /// its word. Errors: those of opening; BadInput for other tensors, other ranks, more than kMostVectors vectors,
    /// values that are not finite.
    static Result<TextEmbedding> open(const std::filesystem::path& file);

    /// Success where the parts are as wide as the model's text encoders; else BadInput with the base model that the
    /// embedding fits.
    Status fits(std::span<const int> widths) const;

    static constexpr int kMostVectors = 75;  ///< one chunk
};

}  // namespace reelbrush::diffusion
