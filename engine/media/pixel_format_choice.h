#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/pixfmt.h>
}

namespace reelbrush::media {

/// What is wanted of a pixel format, in the order in which it counts.
struct PixelFormatWish {
    int bits = 8;
    bool alpha = false;
    /// Chroma samples to carry: 0 as few as there are (4:2:0), 1 half of them (4:2:2), 2 all (4:4:4).
    int chroma = 0;
    /// 4:2:0 and 4:2:2 are ruled out where an edge would be cut.
    bool oddWidth = false, oddHeight = false;
};

/// The encoder's pixel format that serves the wish best, or AV_PIX_FMT_NONE. Formats that store Y'CbCr come before
/// R'G'B', enough bits before too few, the chroma asked for before more before less.
AVPixelFormat choosePixelFormat(const AVCodec& codec, const PixelFormatWish& wish);

/// True for planar integer Y'CbCr and G'B'R', which zimg reads and writes itself.
bool isPlanarInteger(AVPixelFormat format);

bool isRgbFormat(AVPixelFormat format);
bool hasAlphaPlane(AVPixelFormat format);
/// Bits per component of the first component.
int bitsOf(AVPixelFormat format);

}  // namespace reelbrush::media
