#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "engine/core/status.h"
#include "engine/media/clip_info.h"
#include "engine/media/video_frame.h"

namespace reelbrush::media {

struct OpenOptions {
    /// Frames [first, last] to deliver, counted from 0; last < 0: to the end.
    std::int64_t firstFrame = 0;
    std::int64_t lastFrame = -1;
    /// Brings PQ and HLG clips down to BT.709 SDR; without it they are refused (Unsupported, with this advice).
    bool toneMapHdr = false;
    /// Frame rate given to numbered picture sequences, which have none of their own.
    Rational sequenceRate{25, 1};
    /// Decoder threads; 0: as FFmpeg likes.
    int threads = 1;
};

/// A video, a picture or a numbered picture sequence, read in order. Not thread-safe: one thread at a time.
class FrameSource {
  public:
    virtual ~FrameSource() = default;
    virtual const ClipInfo& info() const = 0;
    /// The next frame, or nothing at the end. Errors: BadInput (damaged data: names file and time; a file cut short
    /// gives its whole frames first), Unsupported.
    virtual Result<std::optional<VideoFrame>> next() = 0;
};

/// path: a file; or a sequence as printf pattern ("shot.%04d.png"), as any one of its numbered files, or as a folder
/// that holds exactly one. UTF-8. Errors: Io (missing, unreadable), BadInput (not media, empty, no video), Unsupported
/// (HDR without toneMapHdr, unknown codec). Nothing is printed: FFmpeg's own messages end up in the error's sentence.
Result<std::unique_ptr<FrameSource>> openFrameSource(const std::filesystem::path& path, const OpenOptions& options = {});

/// What the file holds. Same errors as openFrameSource, but HDR is fine.
Result<ClipInfo> inspectClip(const std::filesystem::path& path);

}  // namespace reelbrush::media
