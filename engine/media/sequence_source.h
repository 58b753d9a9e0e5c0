#pragma once

#include "engine/media/frame_source.h"
#include "engine/media/numbered_pictures.h"

#include <memory>

namespace reelbrush::media {

/// Numbered pictures as a clip: frame i is shown from i / options.sequenceRate on. The rest as openFrameSource.
Result<std::unique_ptr<FrameSource>> openSequenceSource(const NumberedPictures& pictures, const OpenOptions& options);

/// What inspectClip tells about numbered pictures shown at a rate.
Result<ClipInfo> inspectSequence(const NumberedPictures& pictures, Rational rate);

}  // namespace reelbrush::media
