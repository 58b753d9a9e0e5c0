#pragma once

#include "engine/diffusion/text/clip_tokenizer.h"
#include "engine/diffusion/text/embedding_library.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// One token, or an embedding, whose vectors stand for as many tokens that stay together.
struct PromptWord {
    int token = 0;
    std::shared_ptr<const TextEmbedding> embedding = {};

    int length() const { return embedding ? embedding->vectors : 1; }
};

/// Reads pieces of prompts into words: tokens, and embeddings where their words stand. A bare word counts wherever its
/// tokens do (the longest first), as in AUTOMATIC1111; "embedding:word" as in ComfyUI. What cannot be used is told once
/// in notes(): a bare word is then text, one with "embedding:" is left out. Thread: one at a time.
class PromptWords {
  public:
    /// embeddings: may be null; it and the tokenizer must outlive this. widths: of the model's text encoders.
    PromptWords(const ClipTokenizer& tokenizer, const EmbeddingLibrary* embeddings, std::vector<int> widths);

    std::vector<PromptWord> read(std::string_view text);
    /// Sentences since the last call.
    std::vector<std::string> takeNotes();

  private:
    struct Known {
        std::vector<int> tokens;
        std::string word;
    };

    void appendPlain(std::string_view text, std::vector<PromptWord>& words);
    std::string_view namedWord(std::string_view text) const;
    std::shared_ptr<const TextEmbedding> load(const std::string& word);

    const ClipTokenizer& tokenizer_;
    const EmbeddingLibrary* embeddings_;
    std::vector<int> widths_;
    std::map<int, std::vector<Known>> known_;  ///< by first token, the longest first
    std::map<std::string, std::shared_ptr<const TextEmbedding>, std::less<>> loaded_;  ///< null: cannot be used
    std::vector<std::string> notes_;
};

}  // namespace reelbrush::diffusion
