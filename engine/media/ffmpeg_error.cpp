#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <array>

extern "C" {
#include <libavutil/avutil.h>
#include <libavutil/error.h>
}

namespace reelbrush::media {

std::string ffmpegErrorText(int code) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(code, text.data(), text.size());
    return text.data();
}

StatusCode ffmpegErrorCode(int code) {
    switch (code) {
        case AVERROR(ENOMEM):
            return StatusCode::OutOfMemory;
        case AVERROR_INVALIDDATA:
        case AVERROR_EOF:
        case AVERROR_STREAM_NOT_FOUND:
            return StatusCode::BadInput;
        case AVERROR_DECODER_NOT_FOUND:
        case AVERROR_ENCODER_NOT_FOUND:
        case AVERROR_DEMUXER_NOT_FOUND:
        case AVERROR_MUXER_NOT_FOUND:
        case AVERROR_FILTER_NOT_FOUND:
        case AVERROR_PATCHWELCOME:
        case AVERROR(ENOSYS):
            return StatusCode::Unsupported;
        case AVERROR(EINVAL):
        case AVERROR_BUG:
        case AVERROR_BUG2:
        case AVERROR_UNKNOWN:
        case AVERROR_EXTERNAL:
            return StatusCode::Internal;
        default:
            return StatusCode::Io;
    }
}

std::string ffmpegRemark(const FfmpegLogCapture& log) {
    const std::string lines = log.lastLines();
    return lines.empty() ? std::string() : fmt::format(" (FFmpeg says: {})", lines);
}

tl::unexpected<Error> ffmpegFailure(int code, std::string_view what, const FfmpegLogCapture* log) {
    return fail(ffmpegErrorCode(code),
                fmt::format("{}: {}{}", what, ffmpegErrorText(code), log ? ffmpegRemark(*log) : std::string()));
}

std::string quoted(const std::filesystem::path& path) {
    return fmt::format("'{}'", path.string());
}

std::string fileUrl(const std::filesystem::path& path) {
    return "file:" + path.string();
}

Rational fromAv(AVRational value) {
    return value.den == 0 ? Rational::unknown() : Rational(value.num, value.den);
}

AVRational toAv(Rational value) {
    if (!value.isKnown()) return AVRational{0, 0};
    AVRational result{0, 1};
    av_reduce(&result.num, &result.den, value.num, value.den, INT32_MAX);
    return result;
}

Rational fromTicks(std::int64_t ticks, AVRational timeBase) {
    if (ticks == AV_NOPTS_VALUE || timeBase.den == 0) return Rational::unknown();
    return Rational(ticks) * fromAv(timeBase);
}

}  // namespace reelbrush::media
