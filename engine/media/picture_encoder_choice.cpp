#include "engine/media/encoder_choice.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/pixel_format_choice.h"
#include "engine/media/quality_scale.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace reelbrush::media {

namespace {

struct PictureFormat {
    std::string_view name;
    const char* encoder;
    /// Pixel formats for 8 bits and for more, each without and with alpha.
    AVPixelFormat plain, plainAlpha, deep, deepAlpha;
};

constexpr std::array kFormats{
    PictureFormat{"png", "png", AV_PIX_FMT_RGB24, AV_PIX_FMT_RGBA, AV_PIX_FMT_RGB48BE, AV_PIX_FMT_RGBA64BE},
    PictureFormat{"tiff", "tiff", AV_PIX_FMT_RGB24, AV_PIX_FMT_RGBA, AV_PIX_FMT_RGB48LE, AV_PIX_FMT_RGBA64LE},
    PictureFormat{"jpg", "mjpeg", AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P},
    PictureFormat{"webp", "libwebp", AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVA420P, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVA420P},
    PictureFormat{"exr", "exr", AV_PIX_FMT_GBRPF32LE, AV_PIX_FMT_GBRAPF32LE, AV_PIX_FMT_GBRPF32LE,
                  AV_PIX_FMT_GBRAPF32LE},
};

/// From here on a JPEG keeps all of its chroma samples, and a WebP at 100 all of its bits.
constexpr int kFullChromaQuality = 90;
constexpr int kLosslessQuality = 100;

}  // namespace

Result<EncoderChoice> choosePictureEncoder(const std::string& name, const PictureNeeds& needs,
                                           const EncodeOptions& options) {
    const PictureFormat* format = nullptr;
    for (const PictureFormat& known : kFormats) {
        if (known.name == name) format = &known;
    }
    RB_ENSURE(format != nullptr, "unknown picture format");
    if (!options.codec.empty() && options.codec != name && options.codec != format->encoder &&
        pictureFormatFor("picture." + options.codec) != name) {
        return fail(StatusCode::Unsupported,
                    fmt::format("a .{} picture cannot hold {}; leave the codec out, or write a .mp4, "
                                ".mov or .mkv file",
                                name, options.codec));
    }
    EncoderChoice choice;
    choice.codec = avcodec_find_encoder_by_name(format->encoder);
    if (!choice.codec) {
        return fail(StatusCode::Unsupported,
                    fmt::format("FFmpeg was built without its encoder {}: .{} pictures cannot be written",
                                format->encoder, name));
    }
    const bool deep = needs.bitsPerComponent > 8;
    choice.format =
        needs.alpha ? (deep ? format->deepAlpha : format->plainAlpha) : (deep ? format->deep : format->plain);
    if (name == "jpg" && options.quality >= kFullChromaQuality) choice.format = AV_PIX_FMT_YUV444P;
    if (name == "webp" && options.quality >= kLosslessQuality) choice.format = AV_PIX_FMT_BGRA;
    if (needs.alpha && !hasAlphaPlane(choice.format)) {
        choice.notes.push_back(fmt::format("transparency left out: .{} pictures hold none", name));
    }
    applyQuality(choice, options.quality);
    return choice;
}

}  // namespace reelbrush::media
