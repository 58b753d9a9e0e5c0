#pragma once

#include "engine/core/status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace reelbrush::media {

/// One kind of video that a graphics card's decoder takes, always with 4:2:0 chroma.
struct HardwareDecoder {
    std::string codec;         ///< as FFmpeg names it: "h264", "hevc", "vp8", "vp9", "av1"
    int bitsPerComponent = 8;  ///< 8, 10 or 12
    int minWidth = 0, minHeight = 0;
    int maxWidth = 0, maxHeight = 0;
    std::int64_t maxMacroblocks = 0;  ///< of 16x16 pixels in a frame
};

/// What NVDEC of that card decodes to the very bits of the standard: codecs whose decoders may round differently
/// (MPEG-2, MJPEG, ...) are left to the processor. Asks the driver, which is opened at run time. Thread: any.
/// Errors: Unsupported (no driver, no card, no NVDEC library; says what is missing), OutOfMemory.
Result<std::vector<HardwareDecoder>> probeHardwareDecoders(int device);

}  // namespace reelbrush::media
