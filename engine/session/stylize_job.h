#pragma once

#include "engine/core/status.h"
#include "engine/jobs/job_queue.h"
#include "engine/session/model_locator.h"
#include "engine/session/painter_shelf.h"
#include "engine/session/stylize_report.h"
#include "engine/session/stylize_request.h"

#include <filesystem>

namespace reelbrush::session {

/// What jobs share; must outlive them.
struct StylizeTools {
    PainterShelf& painters;
    const ModelLocator& locateModel;
    const std::filesystem::path& algorithmCacheFile;  ///< see diffusion::PainterOptions
};

/// Carries one request out, from opening the files to the renamed output. What a user may have got wrong is looked at
/// first, so that mistakes are told before anything is computed: values, input, output, style, memory.
/// Thread: the engine thread.
/// Errors: those of media, styles, weights, diffusion and render; Cancelled. Nothing is left behind after one.
Result<StylizeReport> runStylizeJob(const StylizeRequest& request, const StylizeTools& tools,
                                    jobs::JobContext& context);

}  // namespace reelbrush::session
