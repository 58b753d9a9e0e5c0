#pragma once

#include "engine/core/status.h"
#include "engine/media/clip_info.h"
#include "engine/media/frame_decoder.h"
#include "engine/media/orientation.h"

namespace reelbrush::media {

/// What inspectClip tells about a file, from its container and its first frame, and how its frames must be turned.
struct FileDescription {
    ClipInfo info;
    Orientation orientation;
};

/// decoder: freshly opened; it gives away no frame. Small files without an index are read through once to count frames.
Result<FileDescription> describeFile(FrameDecoder& decoder);

}  // namespace reelbrush::media
