#pragma once

#include "engine/diffusion/text/prompt_words.h"

#include <memory>
#include <vector>

namespace reelbrush::diffusion {

/// What stands at one place of a chunk.
struct PromptToken {
    int token = 0;
    double weight = 1.0;
    std::shared_ptr<const TextEmbedding> embedding = {};  ///< null: the token's own vector
    int vector = 0;                                       ///< which of the embedding's
};

/// At most kChunkTokens; start, end and padding come around them when they are encoded.
using PromptChunk = std::vector<PromptToken>;
inline constexpr std::size_t kChunkTokens = 75;

/// Words of one weight.
struct WeightedWords {
    std::vector<PromptWord> words;
    double weight = 1.0;
    bool startsChunk = false;
};

/// Cuts a prompt into chunks as AUTOMATIC1111 does. commaToken, commaBacktrack: see PromptOptions.
/// Always at least one chunk, maybe an empty one.
std::vector<PromptChunk> cutIntoChunks(const std::vector<WeightedWords>& pieces, int commaToken, int commaBacktrack);

}  // namespace reelbrush::diffusion
