#pragma once

#include "engine/media/ffmpeg_handles.h"
#include "engine/media/hardware_decoders.h"

#include <string>
#include <vector>

namespace reelbrush::media {

/// What decides who decodes a stream.
struct StreamTraits {
    AVCodecID codec = AV_CODEC_ID_NONE;
    AVPixelFormat format = AV_PIX_FMT_NONE;  ///< as the processor's decoder gives it
    int width = 0, height = 0;
    bool alphaBeside = false;  ///< WebM's alpha channel, in a stream beside the picture's
};

StreamTraits traitsOf(const AVStream& stream);

/// The decoder that runs on the processor; null where the installed FFmpeg has none. FFmpeg's own VP8 and VP9 decoders
/// leave alpha beside the picture out; libvpx's do not.
const AVCodec* softwareDecoder(const StreamTraits& stream);

/// FFmpeg's decoder that can work on CUDA surfaces for this codec, or null.
const AVCodec* cudaDecoder(AVCodecID codec);

/// Why none of these decoders takes the stream, for the user, as "it takes no h264 with 10 bits per component"; empty:
/// one does, and gives the same frames as the processor, bit by bit.
std::string reasonAgainstHardware(const StreamTraits& stream, const std::vector<HardwareDecoder>& offered);

}  // namespace reelbrush::media
