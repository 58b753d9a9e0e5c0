#pragma once

#include "engine/media/frame_sink.h"
#include "engine/media/output_target.h"

namespace reelbrush::media {

/// What openFrameSink was asked for, once the target's name is read.
struct SinkRequest {
    OutputTarget target;
    int width = 0, height = 0;
    const ClipInfo& source;
    const std::filesystem::path& sourcePath;  ///< empty: nothing is carried over
    const EncodeOptions& options;
};

/// A sink for a container of moving pictures. Errors: see openFrameSink.
Result<std::unique_ptr<FrameSink>> openVideoSink(const SinkRequest& request);

/// A sink for one picture or for numbered pictures. Errors: see openFrameSink.
Result<std::unique_ptr<FrameSink>> openPictureSink(const SinkRequest& request);

}  // namespace reelbrush::media
