#pragma once

#include "engine/core/status.h"
#include "engine/media/ffmpeg_handles.h"

namespace reelbrush::media {

/// Brings pictures from a GPU's surfaces to memory, in the pixel format that the processor's decoder would have given
/// them: the same samples, tags, times and cropping. Keeps the memory that the copy lands in. Not thread-safe.
class SurfaceDownload {
  public:
    /// surface: AV_PIX_FMT_CUDA over NV12, P010 or P016. wanted: planar 4:2:0 of the same depth.
    /// Errors: Unsupported (other layouts), OutOfMemory, Internal.
    Result<Frame> download(const AVFrame& surface, AVPixelFormat wanted);

  private:
    Status prepareLanding(const AVFrame& surface);

    Frame landing_;  ///< luma in rows, then rows of chroma pairs
};

/// The second half: samples of NV12, P010 or P016 in memory to planes. Errors: as download.
Result<Frame> planesOf(const AVFrame& pairs, AVPixelFormat wanted);

}  // namespace reelbrush::media
