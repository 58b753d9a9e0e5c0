#include "engine/media/colour_defaults.h"

#include "engine/media/matrix_guess.h"

#include <algorithm>
#include <array>
#include <string_view>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

constexpr int kUnspecified = 2;
constexpr int kReserved = 3;

bool isJpeg(std::string_view codec) {
    return codec == "mjpeg" || codec == "mjpegb" || codec == "jpegls";
}

bool is601ByFormat(std::string_view codec) {
    return isJpeg(codec) || codec == "webp" || codec == "vp8";
}

bool isRgb(const AVPixFmtDescriptor& format) {
    return (format.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
}

bool isGrey(const AVPixFmtDescriptor& format) {
    return !isRgb(format) && format.nb_components < 3;
}

int matrixFor(const VideoStreamInfo& video) {
    return is601ByFormat(video.codec) ? static_cast<int>(AVCOL_SPC_BT470BG) : guessedMatrix(video.codedHeight);
}

struct Companions {
    int matrix, primaries, transfer;
};
constexpr std::array<Companions, 5> kCompanions = {{
    {AVCOL_SPC_BT470BG, AVCOL_PRI_BT470BG, AVCOL_TRC_SMPTE170M},
    {AVCOL_SPC_SMPTE170M, AVCOL_PRI_SMPTE170M, AVCOL_TRC_SMPTE170M},
    {AVCOL_SPC_SMPTE240M, AVCOL_PRI_SMPTE240M, AVCOL_TRC_SMPTE240M},
    {AVCOL_SPC_BT2020_NCL, AVCOL_PRI_BT2020, AVCOL_TRC_BT2020_10},
    {AVCOL_SPC_BT2020_CL, AVCOL_PRI_BT2020, AVCOL_TRC_BT2020_10},
}};

bool isUnknown(int tag) {
    return tag == kUnspecified || tag == kReserved || tag == 0;
}

}  // namespace

ColourTags resolvedColour(const VideoStreamInfo& video) {
    ColourTags tags = video.colour;
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(av_get_pix_fmt(video.pixelFormat.c_str()));
    const bool rgb = format && isRgb(*format);
    const bool sRgb = rgb || isJpeg(video.codec) || video.codec == "webp";
    if (rgb) {
        tags.matrix = AVCOL_SPC_RGB;
    } else if (isUnknown(tags.matrix)) {
        tags.matrix = matrixFor(video);
    }
    Companions companions{tags.matrix, AVCOL_PRI_BT709, AVCOL_TRC_BT709};
    const auto* found =
        std::find_if(kCompanions.begin(), kCompanions.end(), [&](const auto& c) { return c.matrix == tags.matrix; });
    if (found != kCompanions.end()) companions = *found;
    if (sRgb) companions = {tags.matrix, AVCOL_PRI_BT709, AVCOL_TRC_IEC61966_2_1};
    if (isUnknown(tags.primaries)) tags.primaries = companions.primaries;
    if (isUnknown(tags.transfer)) tags.transfer = companions.transfer;
    if (!tags.rangeKnown) {
        const bool yuvj = video.pixelFormat.starts_with("yuvj");
        tags.fullRange = rgb || yuvj || isJpeg(video.codec) || (format && isGrey(*format));
    }
    if (tags.chromaLocation == AVCHROMA_LOC_UNSPECIFIED)
        tags.chromaLocation = isJpeg(video.codec) ? AVCHROMA_LOC_CENTER : AVCHROMA_LOC_LEFT;
    return tags;
}

}  // namespace reelbrush::media
