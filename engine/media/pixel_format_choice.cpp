#include "engine/media/pixel_format_choice.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

/// The old "yuvj" formats say full range, which the colour tags say already.
bool isDeprecatedFullRange(AVPixelFormat format) {
    switch (format) {
        case AV_PIX_FMT_YUVJ420P:
        case AV_PIX_FMT_YUVJ422P:
        case AV_PIX_FMT_YUVJ444P:
        case AV_PIX_FMT_YUVJ440P:
        case AV_PIX_FMT_YUVJ411P:
            return true;
        default:
            return false;
    }
}

/// Smaller is better; nothing where the format cannot serve.
using Cost = std::tuple<bool, bool, int, int, bool>;
std::optional<Cost> costOf(AVPixelFormat format, const PixelFormatWish& wish) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    constexpr std::uint64_t kUnfit =
        AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_FLOAT;
    if (!description || (description->flags & kUnfit) != 0 || isDeprecatedFullRange(format)) return std::nullopt;
    if (description->nb_components < 3) return std::nullopt;
    const bool rgb = isRgbFormat(format);
    // Packed Y'CbCr and formats of fewer than 8 bits would each need a path of their own; P010 is all that NVENC takes
    // for 10 bits.
    if (!rgb && !isPlanarInteger(format) && format != AV_PIX_FMT_P010LE) return std::nullopt;
    const int bits = bitsOf(format);
    if (bits < 8) return std::nullopt;

    const int wideStep = description->log2_chroma_w, highStep = description->log2_chroma_h;
    if (wideStep > 1 || (highStep == 1 && wideStep == 0)) return std::nullopt;  // 4:1:1, 4:1:0 and 4:4:0
    if ((wish.oddWidth && wideStep > 0) || (wish.oddHeight && highStep > 0)) return std::nullopt;
    const int chroma = 2 - wideStep - highStep;

    const int bitCost = bits >= wish.bits ? bits - wish.bits : 100 + wish.bits - bits;
    const int chromaCost = chroma >= wish.chroma ? chroma - wish.chroma : 10 + wish.chroma - chroma;
    return Cost{hasAlphaPlane(format) != wish.alpha, rgb, bitCost, chromaCost, !isPlanarInteger(format)};
}

}  // namespace

bool isPlanarInteger(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    if (!description || (description->flags & (AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT)) != 0) return false;
    for (int i = 0; i < description->nb_components; ++i) {
        if (description->comp[i].plane != i || description->comp[i].shift != 0) return false;
    }
    return description->nb_components >= 3;
}

bool isRgbFormat(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    return description && (description->flags & AV_PIX_FMT_FLAG_RGB) != 0;
}

bool hasAlphaPlane(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    return description && (description->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
}

int bitsOf(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    return description ? description->comp[0].depth : 0;
}

AVPixelFormat choosePixelFormat(const AVCodec& codec, const PixelFormatWish& wish) {
    AVPixelFormat best = AV_PIX_FMT_NONE;
    std::optional<Cost> least;
    if (!codec.pix_fmts) return best;
    for (const AVPixelFormat* format = codec.pix_fmts; *format != AV_PIX_FMT_NONE; ++format) {
        const std::optional<Cost> cost = costOf(*format, wish);
        if (cost && (!least || *cost < *least)) {
            least = cost;
            best = *format;
        }
    }
    return best;
}

}  // namespace reelbrush::media
