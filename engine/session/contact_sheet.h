#pragma once

#include "engine/core/status.h"

#include <filesystem>

namespace reelbrush::session {

struct ContactSheetOptions {
    int columns = 5;      ///< frames shown, evenly spread over the film; 1 to 50
    int cellWidth = 320;  ///< pixels of one frame, 16 to 4096
};

/// Writes a picture with two rows: frames of a film above, the same frames of what was made of it below.
/// sheet: a picture file. Errors: as media::openFrameSource and openFrameSink; BadInput for options out of range.
Status writeContactSheet(const std::filesystem::path& input, const std::filesystem::path& output,
                         const std::filesystem::path& sheet, const ContactSheetOptions& options = {});

}  // namespace reelbrush::session
