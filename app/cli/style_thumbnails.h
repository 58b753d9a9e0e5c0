#pragma once

#include "app/cli/interrupt_watch.h"

#include <string>
#include <vector>

namespace reelbrush::cli {

struct ThumbnailArguments {
    std::vector<std::string> names;  ///< empty: every card of the catalogue
    std::string picture;             ///< empty: the bundled clip
    std::string folder;              ///< empty: where each card looks for its thumbnail
    bool json = false;
};

/// Paints the picture in each style at the size that the model likes, scales it down and writes it as a JPEG.
/// Returns an exit code.
int renderThumbnails(const ThumbnailArguments& arguments, InterruptWatch& interrupts);

}  // namespace reelbrush::cli
