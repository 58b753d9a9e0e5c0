#include "engine/diffusion/text/prompt_chunks.h"

#include <optional>

namespace reelbrush::diffusion {

namespace {

class Cutter {
  public:
    Cutter(int commaToken, int commaBacktrack) : commaToken_(commaToken), commaBacktrack_(commaBacktrack) {}

    void add(const PromptWord& word, double weight) {
        const bool isComma = !word.embedding && word.token == commaToken_;
        if (chunk_.size() == kChunkTokens && !isComma) moveWhatFollowsTheComma();
        if (chunk_.size() + static_cast<std::size_t>(word.length()) > kChunkTokens) close();
        if (isComma) comma_ = chunk_.size();
        for (int i = 0; i < word.length(); ++i) chunk_.push_back({word.token, weight, word.embedding, i});
    }

    void close() {
        chunks_.push_back(std::move(chunk_));
        chunk_.clear();
        comma_.reset();
    }

    std::vector<PromptChunk> finish() {
        if (!chunk_.empty() || chunks_.empty()) close();
        return std::move(chunks_);
    }

  private:
    void moveWhatFollowsTheComma() {
        if (!comma_ || chunk_.size() - *comma_ > static_cast<std::size_t>(std::max(commaBacktrack_, 0))) return;
        const auto first = chunk_.begin() + static_cast<std::ptrdiff_t>(*comma_) + 1;
        PromptChunk moved(first, chunk_.end());
        chunk_.erase(first, chunk_.end());
        close();
        chunk_ = std::move(moved);
    }

    int commaToken_, commaBacktrack_;
    std::vector<PromptChunk> chunks_;
    PromptChunk chunk_;
    std::optional<std::size_t> comma_;  ///< the last one's place in the chunk
};

}  // namespace

std::vector<PromptChunk> cutIntoChunks(const std::vector<WeightedWords>& pieces, int commaToken, int commaBacktrack) {
    Cutter cutter(commaToken, commaBacktrack);
    for (const WeightedWords& piece : pieces) {
        if (piece.startsChunk) cutter.close();
        for (const PromptWord& word : piece.words) cutter.add(word, piece.weight);
    }
    return cutter.finish();
}

}  // namespace reelbrush::diffusion
