#pragma once

#include "engine/core/status.h"
#include "kernels/ops/activation.h"
#include "kernels/plan/graph.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>

namespace reelbrush::diffusion {

/// Shape of a CLIP text encoder, as transformers' config.json of CLIPTextModel (with or without projection) describes
/// it. Weights have transformers' names, "text_model.*" and "text_projection.weight"; OpenCLIP's are renamed before.
struct TextEncoderConfig {
    int hiddenSize = 768, intermediateSize = 3072, layers = 12, heads = 12;
    int positions = 77;      ///< tokens of a text, start, end and padding included
    int vocabulary = 49408;  ///< rows of the token embedding
    int projection = 768;    ///< width of the pooled state, where there is a projection
    int eosToken = kLegacyEosToken;
    float normEpsilon = 1e-5f;
    kernels::Activation activation = kernels::Activation::QuickGelu;

    /// Configurations from before transformers 4.30 say 2 where 49407 ends a text.
    static constexpr int kLegacyEosToken = 2;

    /// Errors: BadInput (field named), Unsupported (activation).
    static Result<TextEncoderConfig> fromJson(const nlohmann::json& json);
};

/// Layers [first, first + count) of the transformer (Radford et al. 2021; causal attention).
struct TextLayers {
    int first = 0, count = 0;
};

// The parts of the encoder; joined in this order they are the whole. Computed in floating point throughout, since it
// runs once a prompt; the layers may be spread over several graphs, so that not all their weights are packed at once.

/// Adds the positions to token embeddings. tokens [N,positions,hiddenSize], the same shape back.
kernels::Value addTextPositions(kernels::Graph& graph, const TextEncoderConfig& config, kernels::Value tokens);
/// hidden [N,positions,hiddenSize], the same shape back.
kernels::Value addTextLayers(kernels::Graph& graph, const TextEncoderConfig& config, kernels::Value hidden,
                             TextLayers layers);
kernels::Value addFinalTextNorm(kernels::Graph& graph, const TextEncoderConfig& config, kernels::Value hidden);
/// normed [N,positions,hiddenSize] → [N,positions,projection]; the row at pooledPosition() is the pooled state.
kernels::Value addTextProjection(kernels::Graph& graph, const TextEncoderConfig& config, kernels::Value normed);

/// Where the pooled state of a text is read: at the first end token, which is the largest token for old configurations
/// (eosToken 2). 0 where there is none.
std::size_t pooledPosition(std::span<const int> tokens, int eosToken);

}  // namespace reelbrush::diffusion
