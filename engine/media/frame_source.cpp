#include "engine/media/frame_source.h"

#include "engine/media/clip_location.h"
#include "engine/media/sequence_source.h"
#include "engine/media/video_source.h"

namespace reelbrush::media {

Result<std::unique_ptr<FrameSource>> openFrameSource(const std::filesystem::path& path, const OpenOptions& options) {
    RB_ASSIGN(const ClipLocation location, locateClip(path));
    if (location.pictures) return openSequenceSource(*location.pictures, options);
    return openVideoSource(location.path, options);
}

Result<ClipInfo> inspectClip(const std::filesystem::path& path) {
    RB_ASSIGN(const ClipLocation location, locateClip(path));
    if (location.pictures) return inspectSequence(*location.pictures, OpenOptions{}.sequenceRate);
    return inspectVideo(location.path);
}

}  // namespace reelbrush::media
