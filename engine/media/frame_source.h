#pragma once

#include "engine/core/status.h"
#include "engine/media/clip_info.h"
#include "engine/media/video_frame.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::media {

struct OpenOptions {
    /// Frames [first, last] to deliver, counted from 0; last < 0: to the end. Where last lies beyond the end, the clip
    /// just ends. The same frames as a full read gives, bit by bit.
    std::int64_t firstFrame = 0;
    std::int64_t lastFrame = -1;
    /// Brings PQ and HLG clips down to BT.709 SDR; without it they are refused (Unsupported, with this advice).
    bool toneMapHdr = false;
    /// Frame rate given to numbered picture sequences, which have none of their own.
    Rational sequenceRate{25, 1};
    /// Decoder threads; 0: as FFmpeg likes.
    int threads = 1;
    /// The NVIDIA card, counted from 0, whose video decoder may be used; negative: none. The frames are the same, bit
    /// by bit. Where it does not take the clip, or fails on the way, the processor decodes, and notes() says so.
    int cudaDevice = -1;
};

/// A video, a picture or a numbered picture sequence, read in order. Not thread-safe: one thread at a time.
class FrameSource {
  public:
    virtual ~FrameSource() = default;
    virtual const ClipInfo& info() const = 0;
    /// The next frame, or nothing at the end. Errors, the same again at each later call: BadInput (damaged data or a
    /// file cut short: names file and time, after all whole frames before that), Unsupported, OutOfMemory.
    virtual Result<std::optional<VideoFrame>> next() = 0;
    /// What a user should know about how it was read.
    virtual std::vector<std::string> notes() const { return {}; }
    /// Whether a graphics card decodes.
    virtual bool usesHardware() const { return false; }
};

/// path: a file; or a sequence as printf pattern ("shot.%04d.png", "%%" for a percent sign), or as a folder that holds
/// exactly one. One numbered file is a single picture: it may be one photo among many. A file that exists is that file,
/// even where its name looks like a pattern or an address; nothing but local files is ever opened. UTF-8.
/// A sequence has no gaps, and all its pictures have one size.
/// Errors: Io (missing, unreadable), BadInput (not media, empty, no video, damaged, gap in a sequence, range beyond the
/// end), Unsupported (HDR without toneMapHdr, unknown codec, more than 16384 pixels on a side), OutOfMemory.
/// Nothing is printed: FFmpeg's own messages end up in the error's sentence.
Result<std::unique_ptr<FrameSource>> openFrameSource(const std::filesystem::path& path,
                                                     const OpenOptions& options = {});

/// What the file holds. Same errors as openFrameSource, but HDR is fine.
Result<ClipInfo> inspectClip(const std::filesystem::path& path);

}  // namespace reelbrush::media
