#pragma once

#include "engine/core/status.h"
#include "engine/media/clip_info.h"
#include "engine/media/video_frame.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::media {

struct EncodeOptions {
    /// FFmpeg encoder or a usual name ("h264", "h265", "av1", "prores", "ffv1", "vp9"); empty: what the container
    /// likes best (mp4, mov, mkv: H.264; webm: VP9; png, exr, jpg, webp: pictures).
    std::string codec;
    /// 0 (worst) to 100 (visually lossless and beyond); mapped to each codec's own scale. Default 80.
    int quality = 80;
    /// Bits per component wanted; lowered to what the codec takes. 0: as the source, rounded to 8 or 10 (PNG: 8 or 16).
    int bitsPerComponent = 0;
    /// Encoder threads; 0: as FFmpeg likes.
    int threads = 0;
    /// Frames given first in the source, for audio: only [startTime, endTime) of it is carried over; unknown: all.
    Rational startTime = Rational::unknown();
    Rational endTime = Rational::unknown();
};

/// Writes frames in order to a video, a picture or a picture sequence. Written under a temporary name beside the
/// target and renamed by finish(); destroyed without finish() it removes what it wrote. Not thread-safe.
class FrameSink {
  public:
    virtual ~FrameSink() = default;
    /// frame.time must grow. All frames have the size given at opening. Errors: Io (disk full: says where and how
    /// much is missing), Internal.
    virtual Status write(const VideoFrame& frame) = 0;
    /// Ends streams, copies what remains of sound and subtitles, syncs, renames. No call after it.
    virtual Status finish() = 0;
    /// What was done that a user should know: "audio re-encoded to AAC", "subtitles left out: MP4 cannot hold them".
    virtual const std::vector<std::string>& notes() const = 0;
    /// Bytes written so far.
    virtual std::int64_t bytesWritten() const = 0;
};

/// target: container and kind by extension; a sequence as printf pattern ("out.%04d.png"), or a folder that exists or
/// ends in "/" (frames are named 000001.png on). width, height: of the frames to come, any size; codecs with 4:2:0 get
/// odd sizes through 4:4:4 or by one edge line repeated and cropped by the container, whichever the codec allows.
/// source: info of the clip that the frames come from: its rate, time base, colour tags and pixel aspect are carried
/// over; sourcePath: where sound, subtitles, chapters and metadata are copied from, may be empty.
/// Errors: BadInput (unknown codec: lists what there is; target equals source), Unsupported (codec not for this
/// container), Io (folder missing or unwritable).
Result<std::unique_ptr<FrameSink>> openFrameSink(const std::filesystem::path& target, int width, int height,
                                                 const ClipInfo& source, const std::filesystem::path& sourcePath,
                                                 const EncodeOptions& options = {});

}  // namespace reelbrush::media
