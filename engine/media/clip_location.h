#pragma once

#include "engine/core/status.h"
#include "engine/media/numbered_pictures.h"

#include <filesystem>
#include <optional>

namespace reelbrush::media {

/// What a path that a user gave stands for.
struct ClipLocation {
    std::filesystem::path path;  ///< as given
    /// Set where it is a sequence; else path is a readable, non-empty regular file.
    std::optional<NumberedPictures> pictures;
};

/// A file that exists is that file, whatever its name looks like. A folder, or a name with a printf number that is no
/// file, is a picture sequence. One numbered picture is a single picture: it may well be one photo among many.
/// Errors: Io (missing, unreadable, not a regular file), BadInput (empty file; what numbered_pictures.h refuses).
Result<ClipLocation> locateClip(const std::filesystem::path& path);

}  // namespace reelbrush::media
