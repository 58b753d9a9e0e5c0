#include "engine/media/encoder_choice.h"

#include "engine/media/ffmpeg_error.h"
#include "engine/media/pixel_format_choice.h"
#include "engine/media/quality_scale.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

extern "C" {
#include <libavformat/avformat.h>
}

namespace reelbrush::media {

namespace {

/// A name that people use, and the encoders that serve it, best first.
struct UsualName {
    std::string_view name;
    std::array<const char*, 3> encoders;
    const char* nvenc = nullptr;
};

constexpr std::array kUsualNames{
    UsualName{"h264", {"libx264", "libopenh264", "h264_v4l2m2m"}, "h264_nvenc"},
    UsualName{"h265", {"libx265", "hevc_v4l2m2m", nullptr}, "hevc_nvenc"},
    UsualName{"av1", {"libsvtav1", "libaom-av1", "librav1e"}, "av1_nvenc"},
    UsualName{"vp9", {"libvpx-vp9", nullptr, nullptr}},
    UsualName{"prores", {"prores_ks", "prores", nullptr}},
    UsualName{"ffv1", {"ffv1", nullptr, nullptr}},
    UsualName{"gif", {"gif", nullptr, nullptr}},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOtherNames{
    {{"avc", "h264"}, {"x264", "h264"}, {"hevc", "h265"}, {"x265", "h265"}, {"h.264", "h264"}, {"h.265", "h265"}}};

bool fits(const Container& container, AVCodecID codec) {
    const AVOutputFormat* muxer = av_guess_format(container.muxer.data(), nullptr, nullptr);
    return muxer && avformat_query_codec(muxer, codec, FF_COMPLIANCE_NORMAL) == 1;
}

const AVCodec* encoderOf(const UsualName& usual) {
    for (const char* name : usual.encoders) {
        if (const AVCodec* codec = name ? avcodec_find_encoder_by_name(name) : nullptr) return codec;
    }
    return nullptr;
}

std::vector<std::string> namesThatFit(const Container& container) {
    std::vector<std::string> names;
    for (const UsualName& usual : kUsualNames) {
        const AVCodec* codec = encoderOf(usual);
        if (codec && fits(container, codec->id)) names.emplace_back(usual.name);
    }
    return names;
}

const UsualName* findUsual(const std::string& wanted) {
    std::string_view name = wanted;
    for (const auto& [other, usual] : kOtherNames) {
        if (other == wanted) name = usual;
    }
    const auto* found = std::find_if(kUsualNames.begin(), kUsualNames.end(),
                                     [&](const UsualName& usual) { return usual.name == name; });
    return found == kUsualNames.end() ? nullptr : found;
}

const AVCodec* findNvenc(const std::string& wanted) {
    const UsualName* usual = findUsual(wanted);
    if (usual) return usual->nvenc ? avcodec_find_encoder_by_name(usual->nvenc) : nullptr;
    return isNvenc(wanted) ? avcodec_find_encoder_by_name(wanted.c_str()) : nullptr;
}

const AVCodec* findEncoder(const std::string& wanted) {
    if (const UsualName* usual = findUsual(wanted)) return encoderOf(*usual);
    const AVCodec* codec = avcodec_find_encoder_by_name(wanted.c_str());
    return codec && codec->type == AVMEDIA_TYPE_VIDEO ? codec : nullptr;
}

std::string endingThatHolds(AVCodecID codec) {
    for (const char* ending : {".mp4", ".mov", ".mkv"}) {
        const Container* container = containerFor(std::string("film") + ending);
        if (container && fits(*container, codec)) return ending;
    }
    return {};
}

/// H.264 and H.265 crop whole chroma samples only, and these encoders refuse what they cannot cut.
bool needsWholeChromaSamples(const AVCodec& codec) {
    const std::string_view name = codec.name;
    return codec.id == AV_CODEC_ID_H264 || codec.id == AV_CODEC_ID_HEVC || codec.id == AV_CODEC_ID_UTVIDEO ||
           name == "libsvtav1";
}

int chromaWish(const AVCodec& codec) {
    const AVCodecDescriptor* description = avcodec_descriptor_get(codec.id);
    const bool alsoLossy = description && (description->props & AV_CODEC_PROP_LOSSY) != 0;
    if (!alsoLossy) return 2;
    return codec.id == AV_CODEC_ID_PRORES || codec.id == AV_CODEC_ID_DNXHD ? 1 : 0;
}

/// SVT-AV1, the fast one, takes even sizes from 64 pixels on only.
const AVCodec* encoderForSize(const AVCodec* codec, int width, int height) {
    constexpr int kLeastSide = 64;
    const bool fine = width % 2 == 0 && height % 2 == 0 && width >= kLeastSide && height >= kLeastSide;
    if (fine || std::string_view(codec->name) != "libsvtav1") return codec;
    for (const char* name : {"libaom-av1", "librav1e"}) {
        if (const AVCodec* other = avcodec_find_encoder_by_name(name)) return other;
    }
    return codec;
}

}  // namespace

bool isNvenc(std::string_view encoder) {
    return encoder.ends_with("_nvenc");
}

int bitsToWrite(const EncodeOptions& options, const ClipInfo& source, int usual, int deep) {
    if (options.bitsPerComponent > 0) return options.bitsPerComponent;
    return source.video.bitsPerComponent > 8 ? deep : usual;
}

Result<EncoderChoice> chooseVideoEncoder(const Container& container, const PictureNeeds& needs,
                                         const EncodeOptions& options) {
    const std::string wanted = options.codec.empty() ? std::string(container.defaultCodec) : options.codec;
    EncoderChoice choice;
    const bool byCard = options.encoder == EncoderPlace::Nvenc;
    choice.codec = byCard ? findNvenc(wanted) : findEncoder(wanted);
    if (byCard && !choice.codec)
        return fail(
            StatusCode::Unsupported,
            fmt::format("the installed FFmpeg has no NVENC encoder for {}; let the processor encode it", wanted));
    const std::string available = fmt::format("{}", fmt::join(namesThatFit(container), ", "));
    if (!choice.codec) {
        return fail(
            StatusCode::BadInput,
            fmt::format("there is no video encoder '{}'; {} files take {}, or the name of another encoder of FFmpeg",
                        wanted, container.title, available));
    }
    if (!fits(container, choice.codec->id)) {
        const std::string ending = endingThatHolds(choice.codec->id);
        return fail(StatusCode::Unsupported,
                    fmt::format("{} files cannot hold {}: choose one of {}{}", container.title, wanted, available,
                                ending.empty() ? "" : fmt::format(", or write a {} file", ending)));
    }
    const bool odd = needs.width % 2 != 0 || needs.height % 2 != 0;
    if (options.codec != choice.codec->name) choice.codec = encoderForSize(choice.codec, needs.width, needs.height);
    if (choice.codec->id == AV_CODEC_ID_GIF) {
        choice.format = AV_PIX_FMT_PAL8;
        choice.notes.emplace_back("GIF holds 256 colours a frame and frame times in hundredths of a second");
        return choice;
    }
    const bool whole = odd && needsWholeChromaSamples(*choice.codec);
    PixelFormatWish wish{needs.bitsPerComponent, needs.alpha, chromaWish(*choice.codec), whole && needs.width % 2 != 0,
                         whole && needs.height % 2 != 0};
    choice.format = choosePixelFormat(*choice.codec, wish);
    if (choice.format == AV_PIX_FMT_NONE) {
        return fail(StatusCode::Unsupported,
                    fmt::format("the encoder {} takes no pictures of {}x{}; choose another codec", choice.codec->name,
                                needs.width, needs.height));
    }
    if (whole && !isRgbFormat(choice.format)) {
        choice.notes.push_back(
            fmt::format("{}x{} is odd, which {} can hold only without chroma subsampling: some players "
                        "cannot show it; even sizes play everywhere",
                        needs.width, needs.height, wanted));
    }
    if (needs.alpha && !hasAlphaPlane(choice.format)) {
        choice.notes.push_back(fmt::format("transparency left out: {} holds none", wanted));
    }
    if (bitsOf(choice.format) < needs.bitsPerComponent) {
        choice.notes.push_back(fmt::format("written with {} bits per component instead of {}: {} holds no more",
                                           bitsOf(choice.format), needs.bitsPerComponent, wanted));
    }
    applyQuality(choice, options.quality);
    return choice;
}

}  // namespace reelbrush::media
