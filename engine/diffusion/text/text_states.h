#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/networks/text_encoder.h"
#include "engine/weights/listed_weights.h"
#include "kernels/plan/backend.h"

#include <vector>

namespace reelbrush::diffusion {

/// What is wanted of a text encoder.
struct TextStatesRequest {
    int texts = 1;
    std::vector<float> tokens = {};  ///< [texts, positions, hiddenSize]: the tokens' embeddings, without positions
    int layersLeftOut = 0;           ///< at the end, before the context is taken
    bool finalNorm = true;           ///< over the context
    bool projected = false;          ///< also the projection of the last layer
    CancelToken cancel = {};         ///< asked every few layers
};

struct TextStates {
    std::vector<float> context = {};    ///< [texts, positions, hiddenSize]
    std::vector<float> projected = {};  ///< [texts, positions, projection], where wanted
};

/// Runs a text encoder once, a few layers at a time, so that its weights are never packed all at once.
/// Errors: those of compiling and running; Cancelled.
Result<TextStates> computeTextStates(const TextEncoderConfig& config, const weights::ListedWeights& weights,
                                     TextStatesRequest request, kernels::Backend& backend);

/// One token's embedding, hiddenSize values. Errors: BadInput where the weights are missing, of another shape, or the
/// token is beyond them.
Status readTokenEmbedding(const TextEncoderConfig& config, const kernels::WeightProvider& weights, int token,
                          float* values);

}  // namespace reelbrush::diffusion
