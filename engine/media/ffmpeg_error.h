#pragma once

#include "engine/core/rational.h"
#include "engine/core/status.h"
#include "engine/media/ffmpeg_log.h"

#include <filesystem>
#include <string>
#include <string_view>

extern "C" {
#include <libavutil/rational.h>
}

namespace reelbrush::media {

/// FFmpeg's own words for one of its negative return codes ("No space left on device").
std::string ffmpegErrorText(int code);

/// The kind of failure that a negative return code of FFmpeg stands for: OutOfMemory, Unsupported (no such decoder,
/// encoder or feature), BadInput (invalid data, premature end), Io (everything the system refuses), else Internal.
StatusCode ffmpegErrorCode(int code);

/// An error of that kind: "<what>: <FFmpeg's words> (FFmpeg says: <last logged line>)"; the bracket only where the log
/// has something to add. what: what was tried, with the file ("cannot open '/a/b.mp4'").
tl::unexpected<Error> ffmpegFailure(int code, std::string_view what, const FfmpegLogCapture* log = nullptr);

/// " (FFmpeg says: <last lines>)", or nothing where nothing was logged: the end of an error's sentence.
std::string ffmpegRemark(const FfmpegLogCapture& log);

/// A path as it stands in messages, in UTF-8 and quotes.
std::string quoted(const std::filesystem::path& path);

/// A path as FFmpeg must be given it: with the file: protocol in front, so that a name that looks like an address
/// ("http:..", "concat:a|b", "pipe:0") never opens anything but that local file.
std::string fileUrl(const std::filesystem::path& path);

/// Exact both ways; {x, 0} and unknown stand for each other. toAv: closest fraction in 32 bits where it does not fit.
Rational fromAv(AVRational value);
AVRational toAv(Rational value);
/// ticks of timeBase as seconds; AV_NOPTS_VALUE gives unknown.
Rational fromTicks(std::int64_t ticks, AVRational timeBase);

}  // namespace reelbrush::media
