#pragma once

#include "engine/core/status.h"
#include "engine/media/clip_info.h"
#include "engine/media/frame_decoder.h"
#include "engine/media/orientation.h"
#include "engine/media/video_frame.h"
#include "engine/media/yuv_converter.h"

namespace reelbrush::media {

/// Turns decoded frames into what VideoFrame promises: upright R'G'B' floats, alpha apart. Float samples (OpenEXR and
/// other high-range pictures) are linear light and get the sRGB curve, continued beyond 1 and mirrored below 0.
/// Not thread-safe.
class PictureConverter {
  public:
    /// info: of the clip as stored, before tone mapping changes its tags. toneMap, threads: as YuvConverter.
    PictureConverter(const VideoStreamInfo& info, Orientation orientation, bool toneMap, int threads);

    /// Errors: BadInput (size differs from the clip's), Unsupported, OutOfMemory; they name no file.
    Result<VideoFrame> convert(const DecodedFrame& frame);

  private:
    Result<cv::Mat> toRgb(const AVFrame& frame);

    int width_, height_;
    ColourTags colour_;
    bool hasAlpha_;
    Orientation orientation_;
    YuvConverter yuv_;
};

}  // namespace reelbrush::media
