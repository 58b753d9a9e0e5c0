#pragma once

#include "engine/core/status.h"
#include "engine/media/frame_sink.h"
#include "engine/media/output_target.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace reelbrush::media {

/// What a picture must be able to hold.
struct PictureNeeds {
    int width = 0, height = 0;
    int bitsPerComponent = 8;
    bool alpha = false;
};

/// An encoder with all that is decided before it is opened.
struct EncoderChoice {
    const AVCodec* codec = nullptr;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    /// Private options of the encoder: rate control, speed.
    std::vector<std::pair<std::string, std::string>> options;
    /// Constant quantiser for encoders that have no option of their own; 0: not used.
    int globalQuality = 0;
    int profile = FF_PROFILE_UNKNOWN;
    /// What the user should know about the choice.
    std::vector<std::string> notes;
};

/// Whether FFmpeg's encoder of that name is a graphics card's ("h264_nvenc").
bool isNvenc(std::string_view encoder);

/// Chooses encoder, pixel format and quality settings for a container. Errors: BadInput (no such encoder: lists the
/// names), Unsupported (not for this container: says which are, and which container would do; NVENC for a codec that it
/// does not know). With EncoderPlace::Auto the processor's encoder.
Result<EncoderChoice> chooseVideoEncoder(const Container& container, const PictureNeeds& needs,
                                         const EncodeOptions& options);

/// The same for a still picture format ("png", "jpg", "webp", "tiff", "exr").
Result<EncoderChoice> choosePictureEncoder(const std::string& format, const PictureNeeds& needs,
                                           const EncodeOptions& options);

/// Bits per component to write: what was asked for, else as the source, rounded to `usual` or `deep` bits.
int bitsToWrite(const EncodeOptions& options, const ClipInfo& source, int usual, int deep);

}  // namespace reelbrush::media
