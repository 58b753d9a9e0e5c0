#pragma once

#include "engine/core/status.h"
#include "engine/media/ffmpeg_handles.h"
#include "engine/media/output_colour.h"
#include "engine/media/video_frame.h"

#include <memory>

namespace reelbrush::media {

/// Turns float R'G'B' frames into what an encoder takes. zimg does matrix, range, chroma siting, primaries and depth,
/// all in float up to one final rounding. Nothing is dithered: noise that changes from frame to frame would make still
/// scenery tremble and cost bits. Not thread-safe.
class PixelConverter {
  public:
    /// Errors: Internal, Unsupported (a filter that FFmpeg was built without).
    static Result<std::unique_ptr<PixelConverter>> open(int width, int height, AVPixelFormat format,
                                                        const OutputColour& colour);
    /// A new frame with colour tags set, no timestamp. frame.rgb [height,width,3] CV_32FC3; where the format has alpha,
    /// frame.alpha [height,width] CV_32FC1, or empty for opaque. Errors: BadInput (another size or type), OutOfMemory.
    Result<Frame> convert(const VideoFrame& frame);

  private:
    PixelConverter(int width, int height, AVPixelFormat format, const OutputColour& colour);
    Status build();
    Result<Frame> packed(const AVFrame& planes);

    int width_, height_;
    int paddedWidth_, paddedHeight_;
    AVPixelFormat format_;
    OutputColour colour_;
    bool alpha_;
    FilterGraph graph_;
    Scaler packer_;                     ///< re-orders planes to pixels; null for planar formats
    AVFilterContext* entry_ = nullptr;  ///< owned by graph_
    AVFilterContext* exit_ = nullptr;
    std::int64_t count_ = 0;
};

}  // namespace reelbrush::media
