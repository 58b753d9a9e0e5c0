#pragma once

#include "engine/core/status.h"
#include "engine/media/clip_info.h"
#include "engine/media/ffmpeg_handles.h"

#include <opencv2/core/mat.hpp>

namespace reelbrush::media {

/// Turns YUV frames into [H,W,3] CV_32FC3 R'G'B' by FFmpeg's zscale (zimg): matrix, range, depth and chroma position
/// exactly, in floats. Keeps its filter graph as long as frames look alike. Not thread-safe.
class YuvConverter {
  public:
    /// toneMap: PQ and HLG go through linear light, a tone curve and BT.709 primaries to BT.709; else transfer and
    /// primaries stay. threads: 0 as FFmpeg likes.
    YuvConverter(bool toneMap, int threads) : toneMap_(toneMap), threads_(threads) {}

    /// frame: changed in its tags only. colour: as resolvedColour gives it.
    /// Errors: Unsupported (a matrix that zimg does not know), OutOfMemory, Internal.
    Result<cv::Mat> convert(AVFrame& frame, const ColourTags& colour);

  private:
    struct Shape {
        int width = 0, height = 0, format = -1;
        bool operator==(const Shape&) const = default;
    };
    Status build(const AVFrame& frame);

    bool toneMap_;
    int threads_;
    FilterGraph graph_;
    AVFilterContext* entry_ = nullptr;
    AVFilterContext* exit_ = nullptr;
    Shape shape_;
};

}  // namespace reelbrush::media
