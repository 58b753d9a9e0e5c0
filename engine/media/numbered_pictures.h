#pragma once

#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace reelbrush::media {

/// Pictures of one folder whose names differ by a number that grows by one: "shot.0101.png", "shot.0102.png", ...
struct NumberedPictures {
    std::filesystem::path folder;
    std::string prefix, suffix;  ///< around the number
    int digits = 0;              ///< the number is padded with zeros to this width; 0: not padded
    std::int64_t firstNumber = 0;
    std::int64_t count = 0;

    /// index: from 0.
    std::filesystem::path pathOf(std::int64_t index) const;
    /// "shot.%04d.png"
    std::string pattern() const;
};

/// Whether the file name holds exactly one printf number ("%d", "%04d"); "%%" stands for a percent sign.
bool isNumberPattern(const std::string& fileName);

/// The pictures that a pattern such as "renders/shot.%04d.png" stands for, from the lowest number found on.
/// Errors: Io (folder missing, no picture found), BadInput (a number is missing in between: says which).
Result<NumberedPictures> findByPattern(const std::filesystem::path& pattern);

/// The only numbered pictures of a folder; files that are no pictures do not count.
/// Errors: Io (unreadable), BadInput (none; several sequences: names their patterns; a gap: says which).
Result<NumberedPictures> findInFolder(const std::filesystem::path& folder);

}  // namespace reelbrush::media
