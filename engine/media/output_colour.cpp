#include "engine/media/output_colour.h"

#include "engine/media/matrix_guess.h"
#include "engine/media/pixel_format_choice.h"

#include <string_view>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

/// Matrices that are one multiplication: what zimg converts without knowing transfer and primaries.
bool isPlainMatrix(int matrix) {
    switch (matrix) {
        case AVCOL_SPC_BT709:
        case AVCOL_SPC_FCC:
        case AVCOL_SPC_BT470BG:
        case AVCOL_SPC_SMPTE170M:
        case AVCOL_SPC_SMPTE240M:
        case AVCOL_SPC_BT2020_NCL:
            return true;
        default:
            return false;
    }
}

bool isWideGamut(int primaries) {
    return primaries == AVCOL_PRI_BT2020 || primaries == AVCOL_PRI_SMPTE431 || primaries == AVCOL_PRI_SMPTE432;
}

/// Whether a decoder of the file will know that its range is full.
bool canSayFullRange(AVCodecID codec, std::string_view muxer) {
    switch (codec) {
        case AV_CODEC_ID_H264:
        case AV_CODEC_ID_HEVC:
        case AV_CODEC_ID_AV1:
        case AV_CODEC_ID_VP9:
            return true;
        case AV_CODEC_ID_FFV1:
        case AV_CODEC_ID_UTVIDEO:
            return muxer == "matroska";  // which says it beside the codec
        default:
            return false;
    }
}

bool isSubsampledBothWays(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    return description && description->log2_chroma_w == 1 && description->log2_chroma_h == 1;
}

}  // namespace

OutputColour chooseVideoColour(const ClipInfo& source, int outputHeight, AVPixelFormat format, AVCodecID codec,
                               const char* muxer) {
    const ColourTags& tags = source.video.colour;
    const bool fromPictures = source.isPicture || source.isSequence;
    OutputColour colour;
    colour.primaries = tags.isHdr() ? AVCOL_PRI_BT709 : tags.primaries;
    colour.transfer = tags.isHdr() ? AVCOL_TRC_BT709 : tags.transfer;
    if (fromPictures) {
        if (colour.primaries == AVCOL_PRI_UNSPECIFIED) colour.primaries = AVCOL_PRI_BT709;
        if (colour.transfer == AVCOL_TRC_UNSPECIFIED) colour.transfer = AVCOL_TRC_IEC61966_2_1;
    }
    if (format == AV_PIX_FMT_PAL8) {
        // GIF carries no tags: what a screen expects is sRGB.
        if (isWideGamut(colour.primaries)) colour.convertFromPrimaries = colour.primaries;
        colour.primaries = AVCOL_PRI_BT709;
        return colour;
    }
    if (isRgbFormat(format)) return colour;

    const int lines = source.video.codedHeight > 0 && !fromPictures ? source.video.codedHeight : outputHeight;
    colour.matrix = tags.isHdr()                                  ? AVCOL_SPC_BT709
                    : isPlainMatrix(tags.matrix) && !fromPictures ? tags.matrix
                                                                  : guessedMatrix(lines);
    colour.fullRange = codec == AV_CODEC_ID_MJPEG ||
                       (tags.fullRange && !fromPictures && !tags.isHdr() && canSayFullRange(codec, muxer));
    // ProRes knows BT.601's matrix by one name.
    if (codec == AV_CODEC_ID_PRORES && colour.matrix == AVCOL_SPC_BT470BG) colour.matrix = AVCOL_SPC_SMPTE170M;
    if (isSubsampledBothWays(format)) {
        // Untagged 4:2:0 video has its chroma at the left; JPEG has it in the middle.
        const int untagged = codec == AV_CODEC_ID_MJPEG ? AVCHROMA_LOC_CENTER : AVCHROMA_LOC_LEFT;
        const bool known = tags.chromaLocation != AVCHROMA_LOC_UNSPECIFIED && !fromPictures;
        colour.chromaLocation = known && codec != AV_CODEC_ID_MJPEG ? tags.chromaLocation : untagged;
    }
    return colour;
}

OutputColour choosePictureColour(const ClipInfo& source, AVPixelFormat format, AVCodecID codec) {
    const ColourTags& tags = source.video.colour;
    OutputColour colour;
    colour.primaries = AVCOL_PRI_BT709;
    colour.transfer = AVCOL_TRC_IEC61966_2_1;
    if (!tags.isHdr() && isWideGamut(tags.primaries)) colour.convertFromPrimaries = tags.primaries;
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    if (description && (description->flags & AV_PIX_FMT_FLAG_FLOAT) != 0) {
        colour.linearLight = true;
        colour.transfer = AVCOL_TRC_LINEAR;
    } else if (!isRgbFormat(format)) {
        colour.matrix = AVCOL_SPC_BT470BG;  // JFIF and WebP know only BT.601
        colour.fullRange = codec != AV_CODEC_ID_WEBP;
        colour.chromaLocation = isSubsampledBothWays(format) ? AVCHROMA_LOC_CENTER : 0;
    }
    return colour;
}

}  // namespace reelbrush::media
