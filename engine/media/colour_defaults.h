#pragma once

#include "engine/media/clip_info.h"

namespace reelbrush::media {

/// The colour tags of a stream with what it leaves unspecified filled in as players do; never 2 in the result:
/// - matrix: 0 (none) for RGB; BT.601 for JPEG, WebP and VP8, whose formats say so; else by size: up to 576 lines
/// BT.601
///   (6 up to 486 lines, else 5), above BT.709. A matrix of 0 on YUV data is an error in the file and counts as
///   unspecified.
/// - primaries and transfer: sRGB for RGB data and for JPEG and WebP pictures; else what belongs to the matrix.
/// - range: full for RGB, grey, JPEG; else limited.
/// - chroma location: left (1), as MPEG-2 and later have it; centre (2) for JPEG.
/// These are the values that decoded frames were converted with.
ColourTags resolvedColour(const VideoStreamInfo& video);

}  // namespace reelbrush::media
