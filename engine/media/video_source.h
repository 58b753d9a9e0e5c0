#pragma once

#include "engine/media/frame_source.h"

#include <filesystem>
#include <memory>

namespace reelbrush::media {

/// One file: a video or a still picture. path: a regular file. The rest as openFrameSource.
Result<std::unique_ptr<FrameSource>> openVideoSource(const std::filesystem::path& path, const OpenOptions& options);

/// What inspectClip tells about one file.
Result<ClipInfo> inspectVideo(const std::filesystem::path& path);

}  // namespace reelbrush::media
