#include "engine/render/frame_pipeline.h"

#include "engine/imaging/each_picture.h"
#include "engine/imaging/keep_colours.h"
#include "engine/render/bounded_queue.h"
#include "engine/render/frame_account.h"
#include "engine/render/frame_finisher.h"
#include "engine/render/frame_preparer.h"
#include "engine/render/painting_size.h"
#include "engine/render/painting_window.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace reelbrush::render {

namespace {

using kernels::TraceSpan, kernels::TraceValue;

struct DecodedFrame {
    media::VideoFrame frame;
    kernels::MemoryClaim memory;
};

struct PaintedFrame {
    cv::Mat painting;  // [paintHeight, paintWidth, 3]
    media::VideoFrame frame;
    cv::Mat picture{};  // that the painter saw, where colours are taken from it
    kernels::MemoryClaim memory{};
};

/// How traces name a frame: by its place in the clip.
TraceValue frameNumber(const media::VideoFrame& frame) {
    return {"frame", static_cast<double>(frame.index)};
}

TraceValue frameCount(std::size_t count) {
    return {"frames", static_cast<double>(count)};
}

class FramePipeline {
  public:
    FramePipeline(const PipelineParts& parts, const PipelineOptions& options, const CancelToken& cancel,
                  const PipelineProgress& progress)
        : parts_(parts), options_(options), cancel_(cancel), progress_(progress), account_(options.frameMemory) {}

    Result<PipelineReport> run() {
        runStages();
        if (failure_) return fail(*failure_);
        RB_TRY(cancel_.check());
        if (report_.frames == 0)
            return fail(StatusCode::BadInput, "there is nothing to paint: the clip has no frames in the wanted range");
        tell(PipelineStage::Finishing);
        RB_TRY(parts_.sink.finish());
        return report_;
    }

  private:
    using Stage = Status (FramePipeline::*)();

    /// The stages beside painting work one at a time where the processor paints: what each needs for the moment is then
    /// never held by two of them at once.
    template <typename Work>
    auto alone(const Work& work) {
        std::unique_lock lock(sideWorkMutex_, std::defer_lock);
        if (abreast_ == 1) lock.lock();
        return work();
    }

    void runStages() {
        std::vector<std::jthread> threads;  // joined when it goes, and by then every stage has been let go
        try {
            for (const Stage stage : {&FramePipeline::decode, &FramePipeline::prepare, &FramePipeline::encode})
                threads.emplace_back([this, stage] { runStage(stage); });
        } catch (const std::exception& exception) {
            stop({StatusCode::OutOfMemory, std::string("cannot start a thread: ") + exception.what()});
        }
        runStage(&FramePipeline::paint);
    }

    void runStage(Stage stage) {
        try {
            if (Status status = (this->*stage)(); !status) stop(std::move(status).error());
        } catch (const std::bad_alloc&) {
            stop({StatusCode::OutOfMemory, "not enough memory for a frame; use a smaller size"});
        } catch (const std::exception& exception) {
            stop({StatusCode::Internal, std::string("internal error while rendering: ") + exception.what()});
        }
    }

    /// The first failure is the cause; what other stages tell after it are its consequences.
    void stop(Error error) {
        {
            const std::lock_guard lock(failureMutex_);
            if (!failure_) failure_ = std::move(error);
        }
        decoded_.cancel();
        prepared_.cancel();
        painted_.cancel();
    }

    Status decode() {
        for (std::int64_t frames = 0; options_.mostFrames < 0 || frames < options_.mostFrames; ++frames) {
            RB_TRY(cancel_.check());
            RB_ASSIGN(std::optional<DecodedFrame> frame, alone([&] { return decodeNext(); }));
            if (!frame || !decoded_.push(*std::move(frame))) break;
            countWaiting("decoded", decoded_);
        }
        decoded_.close();
        return {};
    }

    Result<std::optional<DecodedFrame>> decodeNext() {
        TraceSpan span(decodeRow_, "decode");
        RB_ASSIGN(std::optional<media::VideoFrame> frame, parts_.source.next());
        if (!frame) return std::optional<DecodedFrame>();
        span.setValues(frameNumber(*frame));
        kernels::MemoryClaim memory = account_.decoded(*frame);
        return std::optional(DecodedFrame{*std::move(frame), std::move(memory)});
    }

    Status prepare() {
        FramePreparer preparer(options_.size, preparation());
        for (auto frames = decoded_.popSome(abreast_); !frames.empty(); frames = decoded_.popSome(abreast_)) {
            countWaiting("decoded", decoded_);
            RB_ASSIGN(auto prepared, alone([&] { return prepareAll(preparer, std::move(frames)); }));
            for (PreparedFrame& frame : prepared) {
                if (!prepared_.push(std::move(frame))) return {};
                countWaiting("prepared", prepared_);
            }
        }
        prepared_.close();
        return {};
    }

    Result<std::vector<PreparedFrame>> prepareAll(FramePreparer& preparer, std::vector<DecodedFrame> decoded) {
        const TraceSpan span(prepareRow_, "prepare", frameNumber(decoded.front().frame), frameCount(decoded.size()));
        std::vector<media::VideoFrame> frames;
        for (DecodedFrame& frame : decoded) frames.push_back(std::move(frame.frame));
        RB_ASSIGN(auto prepared, preparer.prepareAll(std::move(frames)));
        for (PreparedFrame& frame : prepared) frame.memory = account_.prepared(frame);
        return prepared;
    }

    Status paint() {
        PaintingWindow window(parts_.painter.needs());
        tell(PipelineStage::Painting);
        while (auto prepared = prepared_.pop()) {
            RB_TRY(cancel_.check());
            countWaiting("prepared", prepared_);
            if (prepared->startsShot) {
                RB_TRY(paintWaiting(window));
                window.startShot();
                parts_.painter.beginShot(options_.paint);
                ++report_.shots;
            }
            window.add(*std::move(prepared));
            prepared.reset();
            if (window.isFull()) RB_TRY(paintWaiting(window));
        }
        RB_TRY(paintWaiting(window));
        painted_.close();
        return {};
    }

    Status paintWaiting(PaintingWindow& window) {
        const std::size_t count = window.waiting().size();
        if (count == 0 || hasFailed()) return {};
        const cv::Size size = paintingSize(options_.size);
        std::vector<diffusion::FrameInput> inputs;
        for (PreparedFrame& frame : window.window()) {
            inputs.push_back({values(frame.picture), {}});
            for (cv::Mat& control : frame.controls) inputs.back().controls.push_back(values(control));
        }
        std::vector<PaintedFrame> paintings;
        std::vector<std::span<float>> outputs;
        for (std::size_t i = 0; i < count; ++i) {
            PreparedFrame& waiting = window.waiting()[i];
            paintings.push_back({cv::Mat(size, CV_32FC3), std::move(waiting.frame)});
            PaintedFrame& painting = paintings.back();
            if (recolours_) painting.picture = waiting.picture;
            const cv::Mat pictures[] = {painting.painting, painting.picture, painting.frame.alpha};
            painting.memory = account_.painted(pictures);
            outputs.push_back(values(painting.painting));
        }
        {
            const TraceSpan span(options_.trace, "paint", frameNumber(paintings.front().frame), frameCount(count));
            RB_TRY(parts_.painter.paint(inputs, options_.paint, cancel_, outputs));
        }
        window.markPainted();
        for (PaintedFrame& painting : paintings) {
            if (!painted_.push(std::move(painting))) return {};
            countWaiting("painted", painted_);
            ++report_.frames;
            tell(PipelineStage::Painting);
        }
        return {};
    }

    Status encode() {
        for (auto painted = painted_.popSome(abreast_); !painted.empty(); painted = painted_.popSome(abreast_)) {
            RB_TRY(cancel_.check());
            countWaiting("painted", painted_);
            RB_TRY(alone([&] { return finishAndWrite(std::move(painted)); }));
        }
        return {};
    }

    Status finishAndWrite(std::vector<PaintedFrame> painted) {
        const TraceSpan encodes(encodeRow_, "encode", frameNumber(painted.front().frame), frameCount(painted.size()));
        std::vector<kernels::MemoryClaim> memory;  // of what becomes of them, to the end
        for (PaintedFrame& frame : painted) memory.push_back(std::move(frame.memory));
        std::vector<media::VideoFrame> finished(painted.size());
        RB_TRY(imaging::forEachPicture(painted.size(), [&](std::size_t i) -> Status {
            RB_ASSIGN(finished[i], finish(std::move(painted[i])));
            return {};
        }));
        for (media::VideoFrame& frame : finished) {
            const TraceSpan span(encodeRow_, "write", frameNumber(frame));
            RB_TRY(parts_.sink.write(std::exchange(frame, media::VideoFrame())));
        }
        return {};
    }

    /// Structure images carry the clip's colours into the painting; other painters' colours are put right afterwards.
    Result<media::VideoFrame> finish(PaintedFrame painted) const {
        if (recolours_) {
            const double sigma = 4 + 3 * options_.structure.freedom;
            RB_ASSIGN(painted.painting, imaging::keepColours(painted.painting, painted.picture, sigma));
            painted.picture.release();
        }
        return finishFrame(painted.painting, std::move(painted.frame), options_.size);
    }

    FramePreparation preparation() const {
        FramePreparation preparation;
        if (parts_.painter.needs().structureImage) preparation.structure = options_.structure;
        preparation.controls = options_.controls;
        return preparation;
    }

    bool hasFailed() {
        const std::lock_guard lock(failureMutex_);
        return failure_.has_value();
    }

    /// name: of what waits in the queue.
    template <typename T>
    void countWaiting(const char* name, const BoundedQueue<T>& queue) const {
        if (!options_.trace) return;
        const std::string counter = std::string(name) + " frames waiting";
        options_.trace.tracer->count(counter, {{"frames", static_cast<double>(queue.size())}});
    }

    static std::span<float> values(cv::Mat& picture) { return {picture.ptr<float>(), picture.total() * 3}; }

    void tell(PipelineStage stage) const {
        if (progress_) progress_(stage, report_.frames);
    }

    const PipelineParts& parts_;
    const PipelineOptions& options_;
    const CancelToken& cancel_;
    const PipelineProgress& progress_;
    const bool recolours_ = options_.structure.keepColours && !parts_.painter.needs().structureImage;
    const std::size_t abreast_ = static_cast<std::size_t>(std::max(1, options_.abreast));
    BoundedQueue<DecodedFrame> decoded_{abreast_};
    BoundedQueue<PreparedFrame> prepared_{abreast_};
    BoundedQueue<PaintedFrame> painted_{abreast_};
    const FrameAccount account_;
    const kernels::TraceRow decodeRow_ = kernels::traceRow(options_.trace.tracer, "decode");
    const kernels::TraceRow prepareRow_ = kernels::traceRow(options_.trace.tracer, "prepare");
    const kernels::TraceRow encodeRow_ = kernels::traceRow(options_.trace.tracer, "encode");
    std::mutex sideWorkMutex_;
    std::mutex failureMutex_;
    std::optional<Error> failure_;
    PipelineReport report_;
};

}  // namespace

Result<PipelineReport> renderFrames(const PipelineParts& parts, const PipelineOptions& options,
                                    const CancelToken& cancel, const PipelineProgress& progress) {
    RB_TRY(checkSize(options.size));
    return FramePipeline(parts, options, cancel, progress).run();
}

}  // namespace reelbrush::render
