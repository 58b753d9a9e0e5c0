#include "engine/diffusion/text/encoder_input.h"

#include "engine/diffusion/text/text_states.h"

#include <algorithm>

namespace reelbrush::diffusion {

Result<EncoderInput> ChunkReader::read(const std::vector<PromptChunk>& chunks) const {
    const auto positions = static_cast<std::size_t>(config.positions);
    const auto width = static_cast<std::size_t>(config.hiddenSize);
    EncoderInput input;
    input.vectors.resize(chunks.size() * positions * width);
    float* row = input.vectors.data();
    for (const PromptChunk& chunk : chunks) {
        RB_ENSURE(chunk.size() + 2 <= positions, "a chunk is longer than the text encoder's positions");
        std::vector<int> tokens(positions, padToken);
        std::vector<float> tokenWeights(positions, 1.0f);
        tokens[0] = ClipTokenizer::kStart;
        tokens[chunk.size() + 1] = ClipTokenizer::kEnd;
        for (std::size_t i = 0; i < chunk.size(); ++i) {
            tokens[i + 1] = chunk[i].embedding ? 0 : chunk[i].token;
            tokenWeights[i + 1] = static_cast<float>(chunk[i].weight);
        }
        for (std::size_t i = 0; i < positions; ++i, row += width) {
            const PromptToken* own = i > 0 && i <= chunk.size() ? &chunk[i - 1] : nullptr;
            if (own && own->embedding)
                std::copy_n(own->embedding->parts[part].values.data() + static_cast<std::size_t>(own->vector) * width,
                            width, row);
            else
                RB_TRY(readTokenEmbedding(config, weights, tokens[i], row));
        }
        input.tokens.push_back(std::move(tokens));
        input.weights.push_back(std::move(tokenWeights));
    }
    return input;
}

}  // namespace reelbrush::diffusion
