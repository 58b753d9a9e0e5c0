#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/temporal/warp_error.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace reelbrush::session {

/// Measures how steady a restyled film is against the film that it was made from, frame by frame. An output of another
/// size is compared at the output's size. Stops at the end of the shorter film.
/// progress: called with the number of frames measured. Thread: any; takes as long as decoding and optical flow do.
/// Errors: as media::openFrameSource; BadInput with fewer than two frames; Cancelled.
Result<temporal::WarpErrorReport> measureCoherence(const std::filesystem::path& input,
                                                   const std::filesystem::path& output, const CancelToken& cancel,
                                                   const std::function<void(std::int64_t frames)>& progress = {});

}  // namespace reelbrush::session
