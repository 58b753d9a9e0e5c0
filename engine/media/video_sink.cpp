#include "engine/media/clip_writer.h"
#include "engine/media/cuda_driver.h"
#include "engine/media/encoder_choice.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/ffmpeg_log.h"
#include "engine/media/frame_clock.h"
#include "engine/media/output_colour.h"
#include "engine/media/pixel_format_choice.h"
#include "engine/media/sink_request.h"
#include "engine/media/source_tracks.h"
#include "engine/media/video_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace reelbrush::media {

namespace {

constexpr int kUsualBits = 8, kDeepBits = 10;

/// What of the source's clock is carried, before the source itself has a say (see clockOrigin).
CarriedSpan spanFor(const SinkRequest& request) {
    CarriedSpan span{Rational(0), request.options.startTime, request.options.endTime};
    const Rational first = request.source.video.startTime;
    // Containers without start times: the picture starts at zero, and sound from before it cannot be kept.
    if (!span.start.isKnown() && request.target.container->constantRateOnly && first.isKnown() && first.num != 0) {
        span.start = first;
    }
    if (span.start.isKnown()) span.origin = span.start;
    return span;
}

class VideoSink final : public FrameSink {
  public:
    Status open(const SinkRequest& request) {
        const auto listening = log_.listen();
        const ClipInfo& source = request.source;
        const Container& container = *request.target.container;
        RB_TRY(openEncoder(request));

        RB_TRY(addVideoStream(source));
        CarriedSpan span = spanFor(request);
        if (!request.sourcePath.empty() && !source.isPicture && !source.isSequence) {
            RB_ASSIGN(tracks_, SourceTracks::open(request.sourcePath, span, container, *writer_, notes_));
            span = tracks_->span();
        }
        origin_ = span.origin;
        const bool constant =
            !source.video.variableRate && source.video.averageRate.isKnown() && source.video.averageRate.num > 0;
        clock_.emplace(encoder_->context().time_base, origin_,
                       constant ? Rational(1) / source.video.averageRate : Rational::unknown());
        framesExpected_ = source.video.frameCount;
        return writer_->start();
    }

    Status write(const VideoFrame& frame) override {
        const auto listening = log_.listen();
        FrameClock::Place place;
        if (!clock_->place(frame.time, frame.duration, place)) {
            return fail(StatusCode::Internal, fmt::format("frame {} at {} s is not later than the frame before it",
                                                          frame.index, frame.time.toString()));
        }
        RB_TRY(encoder_->encode(frame, place, [this](AVPacket& packet) { return deliver(packet); }));
        writer_->setWorkDone({++framesWritten_, framesExpected_});
        return {};
    }

    Status finish() override {
        const auto listening = log_.listen();
        RB_ENSURE(framesWritten_ > 0, "a video was finished without a frame");
        RB_TRY(encoder_->flush([this](AVPacket& packet) { return deliver(packet); }));
        if (tracks_) RB_TRY(tracks_->finish());
        if (!clock_->exact() && encoder_->context().codec_id != AV_CODEC_ID_GIF) {
            notes_.emplace_back("some frame times were moved to the nearest that the output can tell");
        }
        return writer_->finish();
    }

    const std::vector<std::string>& notes() const override { return notes_; }
    std::int64_t bytesWritten() const override { return writer_->bytesWritten(); }

  private:
    Status openEncoder(const SinkRequest& request) {
        const EncodeOptions& options = request.options;
        if (options.encoder == EncoderPlace::Auto && options.cudaDevice >= 0 && hasCudaDriver()) {
            const Status opened = openEncoder(request, EncoderPlace::Nvenc);
            // A card may lack the encoder, or the codec; and what the processor holds without loss stays with it.
            if (opened && notes_.empty()) return {};
            log_.clear();
        }
        return openEncoder(request,
                           options.encoder == EncoderPlace::Nvenc ? EncoderPlace::Nvenc : EncoderPlace::Processor);
    }

    Status openEncoder(const SinkRequest& request, EncoderPlace place) {
        const ClipInfo& source = request.source;
        const Container& container = *request.target.container;
        EncodeOptions options = request.options;
        options.encoder = place;
        const PictureNeeds needs{request.width, request.height, bitsToWrite(options, source, kUsualBits, kDeepBits),
                                 source.video.hasAlpha};
        RB_ASSIGN(EncoderChoice choice, chooseVideoEncoder(container, needs, options));
        notes_ = choice.notes;
        if (!writer_) {
            RB_ASSIGN(writer_, ClipWriter::create(request.target.path, container, log_));
        }

        EncoderSetup setup;
        setup.width = request.width;
        setup.height = request.height;
        setup.colour = chooseVideoColour(source, request.height, choice.format, choice.codec->id,
                                         writer_->context().oformat->name);
        setup.pixelAspect = source.video.pixelAspect;
        setup.timeBase = chooseTimeBase(source, container, choice.codec->id);
        setup.averageRate = source.video.averageRate;
        setup.threads = options.threads;
        setup.globalHeader = writer_->wantsGlobalHeader();
        setup.noReordering = container.constantRateOnly;
        setup.cudaDevice = options.cudaDevice;
        auto encoder = VideoEncoder::open(choice, setup);
        if (!encoder) return fail(encoder.error().code, encoder.error().message + ffmpegRemark(log_));
        encoder_ = std::move(*encoder);
        return {};
    }

    Status addVideoStream(const ClipInfo& source) {
        const AVCodecContext& context = encoder_->context();
        stream_ = writer_->addStream(context.time_base);
        if (!stream_ || avcodec_parameters_from_context(stream_->codecpar, &context) < 0) {
            return fail(StatusCode::OutOfMemory, "not enough memory for a video stream");
        }
        stream_->sample_aspect_ratio = context.sample_aspect_ratio;
        // QuickTime knows H.265 by this name only.
        if (writer_->isMov() && context.codec_id == AV_CODEC_ID_HEVC) {
            stream_->codecpar->codec_tag = MKTAG('h', 'v', 'c', '1');
        }
        // A clip of uneven rate must not be told to have one: Matroska would take it for each frame's length.
        if (!source.video.variableRate) stream_->avg_frame_rate = stream_->r_frame_rate = context.framerate;
        if (writer_->isMov()) writer_->countIn(context.time_base);
        return {};
    }

    /// Sound goes in up to the picture's time, so that the container is interleaved and nothing piles up.
    Status deliver(AVPacket& packet) {
        const AVRational timeBase = encoder_->context().time_base;
        if (tracks_) RB_TRY(tracks_->carryUntil(fromTicks(packet.dts, timeBase) + origin_));
        return writer_->write(packet, *stream_, timeBase);
    }

    FfmpegLogCapture log_;
    std::vector<std::string> notes_;
    std::unique_ptr<ClipWriter> writer_;
    std::unique_ptr<VideoEncoder> encoder_;
    std::unique_ptr<SourceTracks> tracks_;
    std::optional<FrameClock> clock_;
    AVStream* stream_ = nullptr;  ///< owned by writer_
    Rational origin_;
    std::int64_t framesWritten_ = 0, framesExpected_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> openVideoSink(const SinkRequest& request) {
    auto sink = std::make_unique<VideoSink>();
    RB_TRY(sink->open(request));
    return sink;
}

}  // namespace reelbrush::media
