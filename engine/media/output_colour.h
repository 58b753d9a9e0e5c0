#pragma once

#include "engine/media/clip_info.h"

extern "C" {
#include <libavcodec/codec_id.h>
#include <libavutil/pixfmt.h>
}

namespace reelbrush::media {

/// How frames are stored, decided once per output. Numbers of ITU-T H.273; matrix 0 = R'G'B'.
struct OutputColour {
    int primaries = 2, transfer = 2, matrix = 0;
    bool fullRange = true;
    int chromaLocation = 0;
    /// Frames hold wide-gamut primaries that the target cannot tell, and are converted to BT.709 primaries.
    int convertFromPrimaries = 0;  ///< 0: not converted
    bool linearLight = false;      ///< sRGB transfer is undone (OpenEXR)
};

/// The tags of the source, as far as the codec and the container can say them.
///
/// matrix: the source's; where it has none (untagged, R'G'B', pictures): BT.601 up to 576 lines of the source, else
/// BT.709, which is what players guess; either way it is tagged. range: full only where the source is a full-range
/// video and the output can say so. Transfer and primaries pass through untouched, for frames are in the source's own;
/// pictures are sRGB and tagged so. PQ and HLG sources come here tone-mapped, thus as BT.709.
OutputColour chooseVideoColour(const ClipInfo& source, int outputHeight, AVPixelFormat format, AVCodecID codec,
                               const char* muxer);

/// Pictures are sRGB. SDR video has the same look with its numbers untouched, since screens show BT.709 and sRGB alike;
/// BT.2020 and P3 primaries are converted. OpenEXR is linear light by convention: the sRGB curve is undone, for BT.709
/// and BT.601 video too, so that PNG and EXR of one clip look the same in a compositing program.
OutputColour choosePictureColour(const ClipInfo& source, AVPixelFormat format, AVCodecID codec);

}  // namespace reelbrush::media
