#pragma once

#include "engine/core/status.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace reelbrush::diffusion {

/// Byte-level byte-pair encoding (Sennrich et al. 2016) with CLIP's numbering: 256 bytes, 256 bytes that end a word,
/// then one token for each merge. Immutable, thread-safe.
class BytePairEncoder {
  public:
    /// merges: a line for each merge, best first: two symbols with a blank between. In symbols every byte is written
    /// as one visible character (as in openai/CLIP), and the end of a word as "</w>".
    /// Errors: BadInput with the line's number.
    static Result<BytePairEncoder> fromMerges(std::string_view merges);

    /// Appends the tokens of one word of any bytes; none for an empty one.
    void appendWord(std::string_view word, std::vector<int>& tokens) const;

    /// Numbers below this one are given out.
    int tokenCount() const { return static_cast<int>(kByteTokens + mergeRanks_.size()); }

  private:
    static constexpr std::size_t kByteTokens = 512;

    /// The rank of merging two tokens in this order; the merged token is kByteTokens behind it.
    std::unordered_map<std::uint64_t, std::uint32_t> mergeRanks_;
};

}  // namespace reelbrush::diffusion
