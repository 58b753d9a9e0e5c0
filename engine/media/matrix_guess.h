#pragma once

extern "C" {
#include <libavutil/pixfmt.h>
}

namespace reelbrush::media {

/// The matrix that players assume of an untagged video with so many lines, as a number of ITU-T H.273: BT.601 up to
/// 576 lines (its two names hold the same numbers: 525-line up to 486, 625-line above), BT.709 beyond.
constexpr int guessedMatrix(int lines) {
    constexpr int kNtscLines = 486, kSdLines = 576;
    if (lines <= kNtscLines) return AVCOL_SPC_SMPTE170M;
    return lines <= kSdLines ? AVCOL_SPC_BT470BG : AVCOL_SPC_BT709;
}

}  // namespace reelbrush::media
