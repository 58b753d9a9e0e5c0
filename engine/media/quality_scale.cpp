#include "engine/media/quality_scale.h"

#include "engine/media/pixel_format_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

extern "C" {
#include <libavutil/opt.h>
}

namespace reelbrush::media {

namespace {

/// A codec's own scale at quality 0, 80 (the default: no loss to be seen at normal viewing) and 100; linear between.
struct Scale {
    double worst, usual, best;
};

constexpr int kUsualQuality = 80;
/// Frames that x264 and x265 hold back to plan ahead. Their default of 20 to 40 costs 30 MB at 512x512 and is full only
/// after a second or two, so that the memory in use would depend on the clip's length; at constant quality it gains
/// little.
constexpr int kLookaheadFrames = 10;

double onScale(const Scale& scale, int quality) {
    if (quality <= kUsualQuality) return scale.worst + (scale.usual - scale.worst) * quality / kUsualQuality;
    return scale.usual + (scale.best - scale.usual) * (quality - kUsualQuality) / (100 - kUsualQuality);
}

int rounded(const Scale& scale, int quality) {
    return static_cast<int>(std::lround(onScale(scale, quality)));
}

bool hasOption(const AVCodec& codec, const char* name) {
    // A fake object, as av_opt_find calls it: only the class is looked at.
    const AVClass* optionClass = codec.priv_class;
    return optionClass && av_opt_find(&optionClass, name, nullptr, 0, AV_OPT_SEARCH_FAKE_OBJ) != nullptr;
}

bool hasAvx512() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") != 0;
#else
    return false;
#endif
}

void applyProRes(EncoderChoice& choice, int quality) {
    // Apple's profiles: 0 proxy, 1 LT, 2 standard, 3 HQ, 4 4444, 5 4444 XQ.
    const int plain = quality < 30 ? 0 : quality < 55 ? 1 : quality < 75 ? 2 : 3;
    const bool fullChroma = choice.format != AV_PIX_FMT_YUV422P10;
    choice.profile = fullChroma ? (quality >= 95 ? 5 : 4) : plain;
    // Editing suites look for Apple's own mark before they call a file ProRes.
    choice.options.emplace_back("vendor", "apl0");
}

/// Constant quality without a ceiling for the bit rate. No frames out of order: NVENC counts their decoding times in
/// steps of an even rate, which clips of uneven rate do not have.
void applyNvenc(EncoderChoice& choice, int quality) {
    const Scale scale = choice.codec->id == AV_CODEC_ID_H264   ? Scale{45, 19, 7}
                        : choice.codec->id == AV_CODEC_ID_HEVC ? Scale{46, 21, 8}
                                                               : Scale{50, 27, 8};
    choice.options.insert(choice.options.end(), {{"preset", "p5"},
                                                 {"tune", "hq"},
                                                 {"rc", "vbr"},
                                                 {"cq", fmt::format("{}", rounded(scale, quality))},
                                                 {"b", "0"},
                                                 {"bf", "0"}});
}

}  // namespace

void applyQuality(EncoderChoice& choice, int wanted) {
    const int quality = std::clamp(wanted, 0, 100);
    const std::string_view name = choice.codec->name;
    auto set = [&choice](const char* key, std::string value) { choice.options.emplace_back(key, std::move(value)); };
    auto setCrf = [&](const Scale& scale) { set("crf", fmt::format("{}", rounded(scale, quality))); };

    if (name == "libx264") {
        setCrf({45, 18, 6});
        set("rc-lookahead", fmt::format("{}", kLookaheadFrames));
        // x264's AVX-512 motion search reads memory that nobody wrote: the same frames then give other bytes each time.
        if (hasAvx512()) set("x264-params", "asm=AVX2");
    } else if (name == "libx265") {
        setCrf({46, 20, 8});
        set("x265-params", fmt::format("log-level=none:rc-lookahead={}", kLookaheadFrames));
    } else if (name == "libsvtav1") {
        setCrf({60, 25, 8});
        set("preset", "8");
    } else if (name == "libaom-av1") {
        setCrf({60, 24, 6});
        set("cpu-used", "6");
        set("row-mt", "1");
    } else if (name == "libvpx-vp9" || name == "libvpx") {
        setCrf({60, 24, 6});
        set("b", "0");
        set("deadline", "good");
        set("cpu-used", "3");
        if (name == "libvpx-vp9") set("row-mt", "1");
        // VP8 has no constant quality without a bit rate ceiling.
        if (name == "libvpx") choice.options.back() = {"b", "20M"};
    } else if (isNvenc(name)) {
        applyNvenc(choice, quality);
    } else if (name == "prores_ks") {
        applyProRes(choice, quality);
    } else if (name == "libwebp" || name == "libwebp_anim") {
        set("quality", fmt::format("{}", quality));
        if (isRgbFormat(choice.format)) set("lossless", "1");
    } else if (choice.codec->id == AV_CODEC_ID_MJPEG) {
        choice.globalQuality = rounded({31, 3, 1}, quality) * FF_QP2LAMBDA;
    } else if (choice.codec->id == AV_CODEC_ID_FFV1) {
        // Version 3 with checksums, so that damage in an archive shows.
        set("level", "3");
        set("slicecrc", "1");
        set("g", "1");
    } else if (choice.codec->id == AV_CODEC_ID_EXR) {
        set("format", "half");
        set("compression", "zip16");
    } else if (choice.codec->id == AV_CODEC_ID_TIFF) {
        set("compression_algo", "deflate");
    } else if (hasOption(*choice.codec, "crf")) {
        setCrf({51, 20, 6});
    } else if (choice.codec->id == AV_CODEC_ID_MPEG4 || choice.codec->id == AV_CODEC_ID_MPEG2VIDEO ||
               choice.codec->id == AV_CODEC_ID_MPEG1VIDEO) {
        choice.globalQuality = rounded({31, 3, 1}, quality) * FF_QP2LAMBDA;
    }
}

}  // namespace reelbrush::media
