#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/text/byte_pair_encoder.h"
#include "engine/diffusion/text/html_entities.h"

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// CLIP's tokenizer, the same for the text encoders of SD 1.5, SD 2.x and SDXL. Immutable, thread-safe.
class ClipTokenizer {
  public:
    static constexpr int kStart = 49406, kEnd = 49407;

    /// folder: resources/tokenizer. Errors: those of readPackedText; BadInput for damaged tables.
    static Result<std::shared_ptr<const ClipTokenizer>> open(const std::filesystem::path& folder);

    /// The tokens of a text, without start and end. As openai/CLIP cleans it (without ftfy): HTML references undone
    /// twice, whitespace collapsed, lower case. "<|startoftext|>" and "<|endoftext|>" are kStart and kEnd.
    /// text: UTF-8; bytes that are not count as U+FFFD.
    /// Source: https://github.com/openai/CLIP, simple_tokenizer.py.
    std::vector<int> encode(std::string_view text) const;

  private:
    ClipTokenizer(BytePairEncoder words, HtmlEntities entities)
        : words_(std::move(words)), entities_(std::move(entities)) {}

    BytePairEncoder words_;
    HtmlEntities entities_;
};

}  // namespace reelbrush::diffusion
