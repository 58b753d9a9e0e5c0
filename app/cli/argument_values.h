#pragma once

#include "engine/core/rational.h"
#include "engine/core/status.h"
#include "engine/session/stylize_request.h"
#include "engine/styles/style_card.h"

#include <cstddef>
#include <cstdint>
#include <string>

/// Values as they are typed. Errors of each: BadInput, saying what was expected and what was given.
namespace reelbrush::cli {

/// "512x288"; both sides 1 to 16384.
Result<session::PictureSize> parseSize(const std::string& text);

struct FrameRange {
    std::int64_t first = 0, last = -1;
};
/// "10-20", "10-" (to the end), "-20" (from the beginning), "7" (one frame). Counted from 0; both ends belong to it.
Result<FrameRange> parseRange(const std::string& text);

/// "800M", "2G", "1.5G", "1073741824"; K, M and G are powers of 1024, "B" or "iB" may follow. Above 0.
Result<std::size_t> parseBytes(const std::string& text);

/// "FILE" or "FILE:STRENGTH", where FILE may hold colons itself: what follows the last one is the strength if it is a
/// number and no file has the whole name. What is no file is taken for a name in the model library.
Result<styles::StyleLora> parseLora(const std::string& text);

/// "25", "30000/1001", "12.5"; 23.976, 29.97 and 59.94 are taken for the television rates that they stand for.
Result<Rational> parseRate(const std::string& text);

/// A whole number from 0 to 2^64 - 1.
Result<std::uint64_t> parseSeed(const std::string& text);

}  // namespace reelbrush::cli
