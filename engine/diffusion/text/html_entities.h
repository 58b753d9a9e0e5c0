#pragma once

#include "engine/core/status.h"

#include <map>
#include <string>
#include <string_view>

namespace reelbrush::diffusion {

/// HTML's named characters, for undoing "&amp;" and "&#233;" in prompts. Immutable, thread-safe.
class HtmlEntities {
  public:
    /// table: a line for each name: the name (with its ";" where it has one), then its code points in hex, separated
    /// by single blanks. Errors: BadInput with the line's number.
    static Result<HtmlEntities> fromTable(std::string_view table);

    /// Replaces every reference once, by the rules of HTML 5: the longest known name counts, with or without ";" as
    /// the table has it; numbers of control characters are read as Windows-1252; unknown names stay as they are.
    std::string unescape(std::string_view text) const;

  private:
    std::size_t appendReference(std::string_view text, std::string& result) const;
    std::size_t appendNamed(std::string_view text, std::string& result) const;

    std::map<std::string, std::string, std::less<>> characters_;  ///< UTF-8 by name
};

}  // namespace reelbrush::diffusion
