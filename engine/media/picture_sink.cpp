#include "engine/media/encoder_choice.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/ffmpeg_log.h"
#include "engine/media/output_colour.h"
#include "engine/media/part_file.h"
#include "engine/media/part_folder.h"
#include "engine/media/pixel_converter.h"
#include "engine/media/pixel_format_choice.h"
#include "engine/media/sink_request.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::media {

namespace {

constexpr int kUsualBits = 8, kDeepBits = 16;
/// Numbered pictures start here, as most programs expect.
constexpr std::int64_t kFirstNumber = 1;

/// One picture file per frame: every format here is one packet of its encoder.
class PictureSink final : public FrameSink {
  public:
    Status open(const SinkRequest& request) {
        const auto listening = log_.listen();
        const ClipInfo& source = request.source;
        const PictureNeeds needs{request.width, request.height,
                                 bitsToWrite(request.options, source, kUsualBits, kDeepBits), source.video.hasAlpha};
        RB_ASSIGN(choice_, choosePictureEncoder(request.target.pictureFormat, needs, request.options));
        notes_ = choice_.notes;
        const bool sound = std::any_of(source.others.begin(), source.others.end(),
                                       [](const OtherStreamInfo& other) { return other.kind == "audio"; });
        if (sound) notes_.emplace_back("sound left out: pictures hold none");
        target_ = request.target;
        width_ = request.width;
        height_ = request.height;
        pixelAspect_ = source.video.pixelAspect;
        expected_ = target_.kind == OutputKind::Sequence ? source.video.frameCount : 1;
        colour_ = choosePictureColour(source, choice_.format, choice_.codec->id);
        RB_ASSIGN(converter_, PixelConverter::open(width_, height_, choice_.format, colour_));
        RB_TRY(openEncoder());
        if (target_.kind == OutputKind::Sequence) {
            RB_ASSIGN(folder_, PartFolder::create(target_.path, target_.mayCreateFolder));
        } else {
            RB_ASSIGN(picture_, PartFile::create(target_.path));
        }
        return {};
    }

    Status write(const VideoFrame& frame) override {
        const auto listening = log_.listen();
        if (folder_) {
            const std::string name = target_.pattern.nameOf(kFirstNumber + written_);
            RB_ASSIGN(std::unique_ptr<PartFile> file, PartFile::create(folder_->pathFor(name)));
            RB_TRY(encodeInto(frame, *file));
            RB_TRY(file->commit({written_, expected_}));
        } else {
            if (written_ > 0) {
                return fail(
                    StatusCode::BadInput,
                    fmt::format("{} is one picture, but there are more frames: name the output such as frame.%04d.png, "
                                "or choose a single frame",
                                quoted(target_.path)));
            }
            RB_TRY(encodeInto(frame, *picture_));
        }
        ++written_;
        return {};
    }

    Status finish() override {
        RB_ENSURE(written_ > 0, "a picture was finished without a frame");
        return folder_ ? folder_->commit() : picture_->commit({written_, expected_});
    }

    const std::vector<std::string>& notes() const override { return notes_; }
    std::int64_t bytesWritten() const override { return bytes_; }

  private:
    /// Encoders of lossy stills keep state; a fresh one would cost more than the flush that they allow.
    Status openEncoder() {
        encoder_.reset(avcodec_alloc_context3(choice_.codec));
        if (!encoder_) return fail(StatusCode::OutOfMemory, "not enough memory for a picture encoder");
        encoder_->width = width_;
        encoder_->height = height_;
        encoder_->pix_fmt = choice_.format;
        encoder_->time_base = {1, 1};
        encoder_->sample_aspect_ratio = toAv(pixelAspect_);
        encoder_->color_primaries = static_cast<AVColorPrimaries>(colour_.primaries);
        encoder_->color_trc = static_cast<AVColorTransferCharacteristic>(colour_.transfer);
        encoder_->colorspace = static_cast<AVColorSpace>(colour_.matrix);
        encoder_->color_range = colour_.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
        encoder_->flags |= AV_CODEC_FLAG_BITEXACT;
        // Threads of these encoders each hold back a frame; a picture has to come out at once.
        encoder_->thread_count = 1;
        if (choice_.globalQuality > 0) {
            encoder_->flags |= AV_CODEC_FLAG_QSCALE;
            encoder_->global_quality = choice_.globalQuality;
        }
        Options options;
        for (const auto& [key, value] : choice_.options) options.set(key.c_str(), value.c_str());
        const int code = avcodec_open2(encoder_.get(), choice_.codec, options.address());
        if (code >= 0) return {};
        return fail(StatusCode::Unsupported, fmt::format("a .{} picture cannot be {}x{}: {}{}", target_.pictureFormat,
                                                         width_, height_, ffmpegErrorText(code), ffmpegRemark(log_)));
    }

    Status encodeInto(const VideoFrame& frame, PartFile& file) {
        const std::string what = fmt::format("cannot encode frame {} for {}", frame.index, quoted(file.target()));
        RB_ASSIGN(Frame converted, converter_->convert(frame));
        converted->pts = written_;
        converted->sample_aspect_ratio = encoder_->sample_aspect_ratio;
        if (choice_.globalQuality > 0) converted->quality = choice_.globalQuality;
        Packet packet(av_packet_alloc());
        if (!packet) return fail(StatusCode::OutOfMemory, what);
        int code = avcodec_send_frame(encoder_.get(), converted.get());
        if (code >= 0) code = avcodec_receive_packet(encoder_.get(), packet.get());
        if (code < 0) return ffmpegFailure(code, what, &log_);
        if (!file.write({packet->data, static_cast<std::size_t>(packet->size)}))
            return file.failure({written_, expected_});
        bytes_ += packet->size;
        return {};
    }

    FfmpegLogCapture log_;
    OutputTarget target_;
    EncoderChoice choice_;
    OutputColour colour_;
    int width_ = 0, height_ = 0;
    Rational pixelAspect_;
    std::unique_ptr<PixelConverter> converter_;
    CodecContext encoder_;
    std::unique_ptr<PartFile> picture_;
    std::unique_ptr<PartFolder> folder_;
    std::vector<std::string> notes_;
    std::int64_t written_ = 0, expected_ = 0, bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> openPictureSink(const SinkRequest& request) {
    auto sink = std::make_unique<PictureSink>();
    RB_TRY(sink->open(request));
    return sink;
}

}  // namespace reelbrush::media
