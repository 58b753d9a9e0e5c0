#pragma once

#include "engine/media/ffmpeg_handles.h"

#include <opencv2/core/mat.hpp>

namespace reelbrush::media {

/// Pictures whose samples are R, G, B or grey values already, in any layout, depth and byte order: packed, planar, with
/// a palette, bit maps, float.
bool hasRgbSamples(AVPixelFormat format);

/// Whether the format can carry alpha. A palette can, but seldom does: see carriesAlpha.
bool carriesAlpha(const AVFrame& frame);

/// [H,W,3] CV_32FC3 RGB of a frame with RGB samples: integers divided by their largest value, exactly; floats as they
/// are. fullRange false: black at 16 and white at 235 (scaled with the depth) instead.
cv::Mat readRgb(const AVFrame& frame, bool fullRange);

/// [H,W] CV_32FC1 in [0,1], of any frame that carries alpha; YUV with an alpha plane too.
cv::Mat readAlpha(const AVFrame& frame);

}  // namespace reelbrush::media
