#include "engine/session/stylize_job.h"

#include "engine/core/process_memory.h"
#include "engine/diffusion/painter_backend.h"
#include "engine/diffusion/sampling/guidance.h"
#include "engine/imaging/imaging_threads.h"
#include "engine/media/frame_sink.h"
#include "engine/media/frame_source.h"
#include "engine/media/output_target.h"
#include "engine/render/frame_pipeline.h"
#include "engine/render/painting_size.h"
#include "engine/session/job_sight.h"
#include "engine/session/range_times.h"
#include "engine/session/style_picture.h"
#include "engine/session/style_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

namespace reelbrush::session {

namespace {

using Clock = std::chrono::steady_clock;

/// Painting on the processor is far slower than encoding, and each thread of an encoder holds back frames of its own;
/// beside a GPU it takes what it wants.
constexpr int kEncoderThreads = 1, kEncoderThreadsBesideGpu = 0;
/// Of decoding and colour conversion: enough for films of 1920x1080 to arrive as fast as a GPU paints them.
constexpr int kReadingThreadsBesideGpu = 4;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A twentieth of what is free stays free, for other programs and for what a forecast cannot know.
std::size_t memoryLimit(const StylizeRequest& request) {
    if (request.ramBytes != 0) return request.ramBytes;
    const std::size_t available = availableMemoryBytes();
    return residentBytes() + available - available / 20;
}

class StylizeJob {
  public:
    StylizeJob(const StylizeRequest& request, const StylizeTools& tools, jobs::JobContext& context)
        : request_(request), tools_(tools), context_(context), style_(effectiveStyle(request)) {}

    Result<StylizeReport> run() {
        RB_TRY(checkValues(request_));
        RB_TRY(checkOutput(request_));
        RB_TRY(openSource());
        RB_TRY(openSink());
        RB_TRY(sight_.begin(request_));
        RB_TRY(context_.cancel().check());
        tell("preparing the model", 0);
        RB_TRY(preparePainter());
        RB_TRY(context_.cancel().check());
        RB_TRY(render());
        complete();
        return std::move(report_);
    }

  private:
    Status openSource() {
        RB_ASSIGN(const media::OutputTarget target, media::parseOutputTarget(request_.output, request_.codec));
        RB_TRY(media::refuseOverwritingSource(target, request_.input));
        outputIsVideo_ = target.kind == media::OutputKind::Video;
        lastFrame_ = request_.lastFrame;
        if (target.kind == media::OutputKind::Picture) lastFrame_ = request_.firstFrame;

        media::OpenOptions options;
        options.firstFrame = request_.firstFrame;
        options.lastFrame = lastFrame_;
        options.toneMapHdr = request_.toneMapHdr;
        options.sequenceRate = request_.sequenceRate;
        options.cudaDevice = videoDevice();
        if (onGpu_) options.threads = kReadingThreadsBesideGpu;
        RB_ASSIGN(source_, media::openFrameSource(request_.input, options));
        const media::VideoStreamInfo& video = source_->info().video;
        size_ =
            request_.size ? cv::Size(request_.size->width, request_.size->height) : cv::Size(video.width, video.height);
        RB_TRY(render::checkSize(size_));
        total_ = framesInRange(video.frameCount);
        if (target.kind == media::OutputKind::Picture && video.frameCount > 1 &&
            request_.lastFrame != request_.firstFrame)
            report_.notes.push_back(fmt::format(
                "only frame {} was painted, since the output is one picture; a name such as frame.%04d.png takes all",
                request_.firstFrame));
        if (video.interlaced)
            report_.notes.emplace_back(
                "the clip is interlaced and was painted as it is; deinterlace it first for clean edges");
        return {};
    }

    /// The card whose decoder and encoder may be used. What they take of its memory cannot be told before, so that a
    /// ceiling for it leaves all of it to painting.
    int videoDevice() const { return onGpu_ && request_.vramBytes == 0 ? request_.device.index : -1; }

    std::int64_t framesInRange(std::int64_t frameCount) const {
        const std::int64_t end = lastFrame_ < 0 ? frameCount : std::min(frameCount, lastFrame_ + 1);
        return std::max<std::int64_t>(0, end - request_.firstFrame);
    }

    Status openSink() {
        media::ClipInfo info = source_->info();
        info.video.frameCount = total_;
        if (request_.size) info.video.pixelAspect = Rational(1);
        media::EncodeOptions options;
        options.codec = request_.codec;
        options.encoder = request_.encoder;
        options.cudaDevice = videoDevice();
        options.quality = request_.quality;
        options.threads = onGpu_ ? kEncoderThreadsBesideGpu : kEncoderThreads;
        if (outputIsVideo_ && !info.others.empty()) {
            RB_ASSIGN(const RangeTimes times,
                      findRangeTimes(request_.input, request_.firstFrame, lastFrame_, request_.toneMapHdr));
            options.startTime = times.start;
            options.endTime = times.end;
        }
        RB_ASSIGN(sink_,
                  media::openFrameSink(request_.output, size_.width, size_.height, info, request_.input, options));
        return {};
    }

    Status preparePainter() {
        imaging::setImagingThreads(request_.threads);
        const std::size_t limit = memoryLimit(request_);
        const cv::Size painted = render::paintingSize(size_);
        RB_TRY(render::checkPaintable(painted, limit));

        for (const std::filesystem::path& file : style_.pictures) {
            RB_ASSIGN(stylePictures_.emplace_back(), loadStylePicture(file));
        }
        const GivenSettings given{request_.steps.has_value(), request_.guidance.has_value()};
        RB_ASSIGN(setup_, setUpStyle(style_, given, tools_.locateModel, context_.cancel()));
        report_.notes.insert(report_.notes.end(), setup_.notes.begin(), setup_.notes.end());
        diffusion::PainterOptions options;
        options.width = painted.width;
        options.height = painted.height;
        options.guided = diffusion::needsSecondPass(setup_.paint.guidance);
        options.precision = request_.precision;
        options.threads = request_.threads;
        options.device = request_.device;
        options.batchFrames = request_.batchFrames;
        if (total_ > 0) options.mostBatchFrames = static_cast<int>(std::min<std::int64_t>(total_, 16));
        options.vramBytes = request_.vramBytes;
        options.algorithmCacheFile = tools_.algorithmCacheFile;
        {
            const kernels::TraceSpan span(sight_.row(), "make the painter");
            RB_ASSIGN(painter_, tools_.painters.take(setup_.files, options, context_.cancel()));
        }
        sight_.watch(*painter_);
        report_.loras = painter_->loraReports();
        report_.device = painter_->deviceName();
        RB_TRY(setStyle());

        const media::VideoStreamInfo& video = source_->info().video;
        report_.forecast = render::forecastMemory(painter_->memory(), {.source = {video.width, video.height},
                                                                       .written = size_,
                                                                       .hasAlpha = video.hasAlpha,
                                                                       .isVideo = outputIsVideo_,
                                                                       .hasLoras = !setup_.files.loras.empty(),
                                                                       .abreast = framesAbreast(),
                                                                       .windowFrames = painter_->needs().windowFrames});
        RB_ASSIGN(const std::size_t keptBytes, painter_->keptBytes(setup_.paint));
        report_.forecast.frameBytes += keptBytes;
        return render::checkForecast(report_.forecast, limit);
    }

    Status setStyle() {
        const kernels::TraceSpan span(sight_.row(), "set the style");
        const diffusion::PainterNeeds needs = painter_->needs();
        std::vector<std::vector<float>> pictures;
        for (const cv::Mat& picture : stylePictures_) {
            RB_ASSIGN(pictures.emplace_back(), fitStylePicture(picture, {needs.styleWidth, needs.styleHeight}));
        }
        stylePictures_.clear();
        diffusion::StyleInputs style = setup_.inputs;
        style.pictures = {pictures.begin(), pictures.end()};
        return painter_->setStyle(style, context_.cancel());
    }

    /// Stages beside a GPU keep up with it by working on as many frames as it paints at once.
    int framesAbreast() const {
        constexpr int kLeastBesideGpu = 4;
        return painter_->memory().onDevice ? std::max(kLeastBesideGpu, painter_->needs().windowFrames) : 1;
    }

    Status render() {
        render::PipelineOptions options;
        options.size = size_;
        options.structure.freedom = style_.freedom();
        options.structure.keepColours = style_.keepColours;
        options.paint = setup_.paint;
        options.trace = sight_.row();
        options.frameMemory = sight_.frameMemory();
        options.controls = setup_.controls;
        options.abreast = framesAbreast();
        report_.prepareSeconds = secondsSince(start_);
        const auto progress = [&](render::PipelineStage stage, std::int64_t frames) {
            sight_.afterFrame(frames);
            tell(stage == render::PipelineStage::Painting ? "painting" : "completing the file", frames);
        };
        RB_ASSIGN(const render::PipelineReport done,
                  render::renderFrames({*source_, *painter_, *sink_}, options, context_.cancel(), progress));
        report_.memory = sight_.memoryReport(report_.forecast);
        report_.frames = done.frames;
        report_.shots = done.shots;
        return {};
    }

    void complete() {
        report_.output = request_.output;
        report_.style = style_.name;
        report_.size = {size_.width, size_.height};
        const std::vector<std::string> reading = source_->notes();
        report_.notes.insert(report_.notes.end(), reading.begin(), reading.end());
        report_.notes.insert(report_.notes.end(), painter_->notes().begin(), painter_->notes().end());
        report_.notes.insert(report_.notes.end(), sink_->notes().begin(), sink_->notes().end());
        const std::vector<std::string> sightNotes = sight_.end();
        report_.notes.insert(report_.notes.end(), sightNotes.begin(), sightNotes.end());
        report_.bytesWritten = sink_->bytesWritten();
        report_.measuredPeakBytes = peakResidentBytes();
        report_.residentArenaBytes = painter_->memory().residentArenaBytes;
        report_.seconds = secondsSince(start_);
    }

    void tell(const char* stage, std::int64_t frames) {
        context_.report({frames, std::max(total_, frames), "frames"}, stage);
    }

    const StylizeRequest& request_;
    const StylizeTools& tools_;
    jobs::JobContext& context_;
    const styles::StyleCard style_;
    const Clock::time_point start_ = Clock::now();
    const bool onGpu_ = diffusion::wouldPaintOnGpu({.precision = request_.precision, .device = request_.device});

    std::unique_ptr<media::FrameSource> source_;
    std::unique_ptr<media::FrameSink> sink_;
    diffusion::FramePainter* painter_ = nullptr;
    bool outputIsVideo_ = true;
    std::int64_t lastFrame_ = -1;
    std::int64_t total_ = 0;
    cv::Size size_;
    StyleSetup setup_;
    std::vector<cv::Mat> stylePictures_;  ///< until the painter has seen them
    StylizeReport report_;
    JobSight sight_;
};

}  // namespace

Result<StylizeReport> runStylizeJob(const StylizeRequest& request, const StylizeTools& tools,
                                    jobs::JobContext& context) {
    return StylizeJob(request, tools, context).run();
}

}  // namespace reelbrush::session
