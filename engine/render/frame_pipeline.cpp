#include "engine/render/frame_pipeline.h"

#include "engine/imaging/each_picture.h"
#include "engine/imaging/keep_colours.h"
#include "engine/render/bounded_queue.h"
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

struct PaintedFrame {
    cv::Mat painting;  // [paintHeight, paintWidth, 3]
    media::VideoFrame frame;
    cv::Mat picture;  // that the painter saw, where colours are taken from it
};

class FramePipeline {
  public:
    FramePipeline(const PipelineParts& parts, const PipelineOptions& options, const CancelToken& cancel,
                  const PipelineProgress& progress)
        : parts_(parts), options_(options), cancel_(cancel), progress_(progress) {}

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
            RB_ASSIGN(std::optional<media::VideoFrame> frame, alone([&] { return parts_.source.next(); }));
            if (!frame || !decoded_.push(*std::move(frame))) break;
        }
        decoded_.close();
        return {};
    }

    Status prepare() {
        FramePreparer preparer(options_.size, preparation());
        for (auto frames = decoded_.popSome(abreast_); !frames.empty(); frames = decoded_.popSome(abreast_)) {
            RB_ASSIGN(auto prepared, alone([&] { return preparer.prepareAll(std::move(frames)); }));
            for (PreparedFrame& frame : prepared)
                if (!prepared_.push(std::move(frame))) return {};
        }
        prepared_.close();
        return {};
    }

    Status paint() {
        const diffusion::PainterNeeds needs = parts_.painter.needs();
        PaintingWindow window(needs.windowFrames, needs.windowOverlap);
        tell(PipelineStage::Painting);
        while (auto prepared = prepared_.pop()) {
            RB_TRY(cancel_.check());
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
            paintings.push_back({cv::Mat(size, CV_32FC3), std::move(waiting.frame), {}});
            if (recolours_) paintings.back().picture = waiting.picture;
            outputs.push_back(values(paintings.back().painting));
        }
        RB_TRY(parts_.painter.paint(inputs, options_.paint, cancel_, outputs));
        window.markPainted();
        for (PaintedFrame& painting : paintings) {
            if (!painted_.push(std::move(painting))) return {};
            ++report_.frames;
            tell(PipelineStage::Painting);
        }
        return {};
    }

    Status encode() {
        for (auto painted = painted_.popSome(abreast_); !painted.empty(); painted = painted_.popSome(abreast_)) {
            RB_TRY(cancel_.check());
            RB_TRY(alone([&] { return finishAndWrite(std::move(painted)); }));
        }
        return {};
    }

    Status finishAndWrite(std::vector<PaintedFrame> painted) {
        std::vector<media::VideoFrame> finished(painted.size());
        RB_TRY(imaging::forEachPicture(painted.size(), [&](std::size_t i) -> Status {
            RB_ASSIGN(finished[i], finish(std::move(painted[i])));
            return {};
        }));
        for (media::VideoFrame& frame : finished) RB_TRY(parts_.sink.write(std::exchange(frame, media::VideoFrame())));
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
    BoundedQueue<media::VideoFrame> decoded_{abreast_};
    BoundedQueue<PreparedFrame> prepared_{abreast_};
    BoundedQueue<PaintedFrame> painted_{abreast_};
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
