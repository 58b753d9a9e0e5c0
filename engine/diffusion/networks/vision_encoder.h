#pragma once

#include "engine/core/status.h"
#include "kernels/plan/graph.h"

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

namespace reelbrush::diffusion {

/// Shape of a CLIP image encoder, as transformers' config.json of CLIPVisionModel describes it.
struct VisionEncoderConfig {
    int hiddenSize = 768, intermediateSize = 3072, layers = 12, heads = 12;
    int imageSize = 224, patchSize = 16;
    float normEpsilon = 1e-5f;
    bool quickGelu = true;
    int projection = 768;  ///< of the picture's embedding

    /// Errors: BadInput (field named), Unsupported (activation).
    static Result<VisionEncoderConfig> fromJson(const nlohmann::json& json);
    int tokens() const { return (imageSize / patchSize) * (imageSize / patchSize) + 1; }
};

/// CLIP vision transformer (Radford et al. 2021) up to the state before its last layer, as IP-Adapter Plus wants it.
/// picture [N,imageSize,imageSize,3], normalised with CLIP's mean and deviation → [N,tokens,hiddenSize].
/// Computed in floating point throughout: it runs once a style.
kernels::Value buildVisionEncoder(kernels::Graph& graph, const VisionEncoderConfig& config, kernels::Value picture);

/// The last layer of that transformer: tokens [N,tokens,hiddenSize] → the same.
kernels::Value buildLastVisionLayer(kernels::Graph& graph, const VisionEncoderConfig& config, kernels::Value tokens);

/// What follows it in transformers' CLIPVisionModelWithProjection: class tokens [N,1,hiddenSize], the first of each
/// picture's → embeddings [N,1,projection].
kernels::Value buildPictureEmbedding(kernels::Graph& graph, const VisionEncoderConfig& config,
                                     kernels::Value classTokens);

/// RGB values in [0,1] as CLIP wants them.
std::vector<float> normalisedForClip(std::span<const float> picture);

}  // namespace reelbrush::diffusion
