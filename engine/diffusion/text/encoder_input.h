#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/networks/text_encoder.h"
#include "engine/diffusion/text/prompt_chunks.h"
#include "kernels/plan/weight_provider.h"

#include <vector>

namespace reelbrush::diffusion {

/// Chunks as one text encoder reads them: start, tokens, end, padding.
struct EncoderInput {
    std::vector<std::vector<int>> tokens = {};     ///< by chunk; 0 in place of an embedding's vectors
    std::vector<std::vector<float>> weights = {};  ///< by chunk; 1 for start, end and padding
    std::vector<float> vectors = {};               ///< [chunks, positions, hiddenSize]
};

/// One of a model's text encoders.
struct ChunkReader {
    const TextEncoderConfig& config;
    const kernels::WeightProvider& weights;
    std::size_t part = 0;  ///< which part of embeddings is for this encoder
    int padToken = 0;

    /// Errors: those of readTokenEmbedding.
    Result<EncoderInput> read(const std::vector<PromptChunk>& chunks) const;
};

}  // namespace reelbrush::diffusion
