#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/frame_painter.h"
#include "engine/imaging/control_image.h"
#include "engine/imaging/structure_image.h"
#include "engine/media/frame_sink.h"
#include "engine/media/frame_source.h"
#include "kernels/tensor/memory_budget.h"
#include "kernels/tensor/tracer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <opencv2/core/types.hpp>
#include <vector>

/// The frame pipeline: decode, prepare, paint, finish, encode.
///
///     decode thread ─▶ [queue] ─▶ prepare thread ─▶ [queue] ─▶ paint: the caller ─▶ [queue] ─▶ encode thread
///
/// Every queue holds as many frames as a stage takes at once, one where the processor paints, so that at most
/// framesInFlight() live at once, however long the clip is; painters that paint windows of frames hold at most
/// 2 * windowFrames more. Where the processor paints, of the stages beside painting only one works at a time: the peak
/// then depends on no coincidence, and the processor is busy anyway.
/// Nothing is thrown across: a stage ends with a Status, and the first failure, by time, ends all of them.
namespace reelbrush::render {

/// One in the hands of decoder and painter, `abreast` in those of preparer and encoder and in each of three queues.
constexpr int framesInFlight(int abreast) {
    return 2 + 5 * abreast;
}

/// What the pipeline joins; none is owned. The source and the sink are each used by one other thread while it runs.
struct PipelineParts {
    media::FrameSource& source;
    diffusion::FramePainter& painter;  ///< its style is set; made for paintingSize(options.size)
    media::FrameSink& sink;            ///< opened for options.size
};

struct PipelineOptions {
    cv::Size size;                        ///< of the pictures written; they are painted at paintingSize(size)
    imaging::StructureOptions structure;  ///< for painters that want structure images
    std::vector<imaging::ControlPreprocessor> controls{};  ///< one for each ControlNet of the painter
    diffusion::PaintSettings paint;  ///< the seed is that of every shot: a cut found or missed changes no frame
    std::int64_t mostFrames = -1;    ///< ends after so many; negative: all of the source
    /// Frames that the stages beside painting take at once. Above 1 these stages also work at the same time: for a GPU,
    /// which paints faster than they could follow one by one.
    int abreast = 1;
    /// The row that the caller's thread writes to; the other stages get rows of their own. See FramePainter::traceTo.
    kernels::TraceRow trace{};
    /// Where frames in flight are counted; may be null. Has no ceiling.
    std::shared_ptr<kernels::MemoryBudget> frameMemory{};
};

struct PipelineReport {
    std::int64_t frames = 0;
    std::int64_t shots = 0;
};

enum class PipelineStage { Painting, Finishing };

/// Called on the caller's thread: before the first frame, after each one, and before the file is completed.
using PipelineProgress = std::function<void(PipelineStage stage, std::int64_t framesDone)>;

/// Renders all frames of the source into the sink and completes the sink's file. After any failure the sink is left
/// incomplete, and destroying it removes what it wrote.
/// Thread: the engine thread, which owns the painter.
/// Errors: those of the parts; Cancelled (within one denoising step); BadInput when the source has no frame.
Result<PipelineReport> renderFrames(const PipelineParts& parts, const PipelineOptions& options,
                                    const CancelToken& cancel, const PipelineProgress& progress = {});

}  // namespace reelbrush::render
