// Takes arbitrary bytes the way of a prompt up to the text encoder: tags, weights, words, chunks.

#include "engine/core/xdg_folders.h"
#include "engine/diffusion/text/lora_tags.h"
#include "engine/diffusion/text/prompt_chunks.h"
#include "engine/diffusion/text/prompt_weights.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

namespace diffusion = reelbrush::diffusion;

void require(bool holds) {
    if (!holds) std::abort();
}

const diffusion::ClipTokenizer& tokenizer() {
    static const auto kTokenizer = diffusion::ClipTokenizer::open(reelbrush::resourcesFolder() / "tokenizer").value();
    return *kTokenizer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const int backtrack = size == 0 ? 0 : data[0] % 80;
    const std::string_view prompt(reinterpret_cast<const char*>(data), size);
    const auto tagged = diffusion::takeLoraTags(prompt);
    require(tagged.text.size() <= size);
    for (const auto& lora : tagged.loras) {
        require(!lora.name.empty());
        require(std::isfinite(lora.strength) && std::isfinite(lora.textStrength));
    }

    diffusion::PromptWords words(tokenizer(), nullptr, {768});
    std::vector<diffusion::WeightedWords> pieces;
    std::size_t wordCount = 0, textBytes = 0;
    for (const auto& piece : diffusion::readPromptWeights(tagged.text)) {
        require(std::abs(piece.weight) <= diffusion::kLargestPromptWeight);
        textBytes += piece.text.size();
        pieces.push_back({words.read(piece.text), piece.weight, piece.startsChunk});
        wordCount += pieces.back().words.size();
    }
    require(!pieces.empty() && textBytes <= tagged.text.size());

    std::size_t placed = 0;
    const auto chunks = diffusion::cutIntoChunks(pieces, 267, backtrack);
    for (const auto& chunk : chunks) {
        require(chunk.size() <= diffusion::kChunkTokens);
        placed += chunk.size();
    }
    require(!chunks.empty() && placed == wordCount);
    return 0;
}
