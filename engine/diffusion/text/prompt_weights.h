#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// A piece of a prompt whose words weigh the same.
struct WeightedText {
    std::string text;
    double weight = 1.0;  ///< within ±kLargestPromptWeight
    /// BREAK stood before this piece: it begins a new chunk.
    bool startsChunk = false;
};

inline constexpr double kLargestPromptWeight = 100.0;

/// Reads a prompt's weights by AUTOMATIC1111's rules: (x) is times 1.1, [x] divided by 1.1, (x:w) times w; they nest.
/// A backslash makes the next bracket or backslash literal. BREAK, in capitals and a word of its own, begins a new
/// chunk. Brackets that nothing closes count to the end of the prompt; closing ones without an opening one are text,
/// as is a ":w)" outside of round brackets. Neighbours of equal weight are one piece.
/// Unlike there, BREAK counts inside of brackets too, and what is not a number after ":" is text instead of an error.
/// Always at least one piece, maybe an empty one. Time: quadratic in the number of brackets.
std::vector<WeightedText> readPromptWeights(std::string_view prompt);

}  // namespace reelbrush::diffusion
