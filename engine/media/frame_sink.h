#pragma once

#include "engine/core/status.h"
#include "engine/media/clip_info.h"
#include "engine/media/video_frame.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::media {

/// Who compresses: the processor, or a graphics card's encoder (NVENC), which is quicker and makes larger files.
enum class EncoderPlace {
    Auto,  ///< NVENC where a card is named that has it for the codec and gives up nothing, else the processor
    Processor,
    Nvenc
};

struct EncodeOptions {
    /// FFmpeg encoder or a usual name ("h264", "h265", "av1", "prores", "ffv1", "vp9", "gif"); empty: what the
    /// container likes best (mp4, mov, mkv, avi: H.264; webm: VP9; gif; png, exr, jpg, webp, tiff: pictures). For a
    /// folder: its picture format ("png", the default, "exr", ...).
    std::string codec;
    EncoderPlace encoder = EncoderPlace::Auto;
    /// The NVIDIA card, counted from 0, whose encoder may be used; negative: none, unless NVENC is asked for.
    int cudaDevice = -1;
    /// 0 (worst) to 100 (visually lossless and beyond); mapped to each codec's own scale. Default 80.
    int quality = 80;
    /// Bits per component wanted; lowered to what the codec takes. 0: as the source, rounded to 8 or 10 (PNG: 8 or 16).
    int bitsPerComponent = 0;
    /// Encoder threads; 0: as FFmpeg likes.
    int threads = 0;
    /// The span of the source that the frames come from, in seconds of the source's clock: only [startTime, endTime) of
    /// sound, subtitles and chapters is carried over, and startTime becomes the output's zero. Unknown: all, unmoved.
    Rational startTime = Rational::unknown();
    Rational endTime = Rational::unknown();
};

/// Writes frames in order to a video, a picture or a picture sequence. Written under a temporary name beside the
/// target and renamed by finish(); destroyed without finish() it removes what it wrote. Not thread-safe.
class FrameSink {
  public:
    virtual ~FrameSink() = default;
    /// frame.time must grow; it is written exactly wherever the container can hold it (Matroska: to the millisecond;
    /// AVI and GIF: to the nearest of their ticks). All frames have the size given at opening. frame.alpha is kept
    /// where source.video.hasAlpha and the format can hold it. Errors: Io (disk full: says where, what was written,
    /// what is free and about how much is missing), BadInput (another size; a second frame for a single picture),
    /// Internal.
    virtual Status write(const VideoFrame& frame) = 0;
    /// Ends streams, copies what remains of sound and subtitles, syncs, renames. No call after it.
    virtual Status finish() = 0;
    /// What was done that a user should know: "audio re-encoded to AAC", "subtitles left out: MP4 cannot hold them".
    virtual const std::vector<std::string>& notes() const = 0;
    /// Bytes written so far.
    virtual std::int64_t bytesWritten() const = 0;
};

/// Opens what `target` names, under a temporary name.
///
/// target: container and kind by extension; a sequence as printf pattern ("out.%04d.png"; "%%" stands for a percent
/// sign), or a folder that exists or ends in "/" (frames are named 000001.png on). A link is followed.
///
/// width, height: of the frames to come, any size. Odd sizes come back exactly: VP9, AV1, ProRes and MPEG-4 crop by
/// themselves; H.264 and H.265 can crop whole chroma samples only, so they get 4:4:4 (and a note, since not every
/// player shows it).
///
/// source: info of the clip that the frames come from: its rate, time base, colour tags and pixel aspect are carried
/// over. Matrix, range, primaries and transfer are written as tagged there (see output_colour.h), rounded without
/// dither; pictures are sRGB, OpenEXR is linear light in half floats (the sRGB curve undone). Same frames, same bytes.
///
/// sourcePath: where sound, subtitles, chapters and metadata are copied from, may be empty. Sound is copied where the
/// container can hold it, else re-encoded (MP4: AAC, WebM: Opus, AVI: PCM); what is left out stands in notes().
///
/// Errors: BadInput (unknown codec: lists what there is; target equals source), Unsupported (codec not for this
/// container; unknown extension), Io (folder missing or unwritable).
Result<std::unique_ptr<FrameSink>> openFrameSink(const std::filesystem::path& target, int width, int height,
                                                 const ClipInfo& source, const std::filesystem::path& sourcePath,
                                                 const EncodeOptions& options = {});

}  // namespace reelbrush::media
