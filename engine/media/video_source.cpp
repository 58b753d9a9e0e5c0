#include "engine/media/video_source.h"

#include "engine/media/clip_info_reader.h"
#include "engine/media/cuda_driver.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/frame_decoder.h"
#include "engine/media/picture_converter.h"

#include <fmt/format.h>

#include <new>
#include <opencv2/core.hpp>
#include <utility>

namespace reelbrush::media {

namespace {

class VideoSource final : public FrameSource {
  public:
    VideoSource(std::filesystem::path path, std::unique_ptr<FrameDecoder> decoder, PictureConverter converter,
                ClipInfo info, const OpenOptions& options)
        : path_(std::move(path)),
          decoder_(std::move(decoder)),
          converter_(std::move(converter)),
          info_(std::move(info)),
          firstFrame_(options.firstFrame),
          lastFrame_(info_.isPicture ? 0 : options.lastFrame) {}

    const ClipInfo& info() const override { return info_; }

    Result<std::optional<VideoFrame>> next() override {
        if (error_) return fail(*error_);
        if (lastFrame_ >= 0 && position_ > lastFrame_) return std::nullopt;
        RB_ASSIGN(const std::optional<DecodedFrame> decoded, decoder_->next());
        if (!decoded) {
            if (position_ > 0) return std::nullopt;
            return fail(StatusCode::BadInput, fmt::format("{} ends before frame {}, the first of the chosen range",
                                                          quoted(path_), firstFrame_));
        }
        auto frame = convert(*decoded);
        if (!frame) {
            error_ =
                Error{frame.error().code, fmt::format("cannot read frame {} of {} at {:.3f} s: {}", decoded->index,
                                                      quoted(path_), decoded->time.toDouble(), frame.error().message)};
            return fail(*error_);
        }
        position_ = decoded->index + 1;
        if (info_.isPicture) {
            frame->time = Rational(0);
            frame->duration = Rational::unknown();
        }
        return std::optional<VideoFrame>(std::move(*frame));
    }

    std::vector<std::string> notes() const override { return decoder_->notes(); }
    bool usesHardware() const override { return decoder_->usesHardware(); }

  private:
    Result<VideoFrame> convert(const DecodedFrame& decoded) {
        try {
            return converter_.convert(decoded);
        } catch (const cv::Exception& exception) {
            if (exception.code == cv::Error::StsNoMem) return fail(StatusCode::OutOfMemory, "no memory for the frame");
            return fail(StatusCode::Internal, fmt::format("internal error: OpenCV: {}", exception.err));
        } catch (const std::bad_alloc&) {
            return fail(StatusCode::OutOfMemory, "no memory for the frame");
        }
    }

    std::filesystem::path path_;
    std::unique_ptr<FrameDecoder> decoder_;
    PictureConverter converter_;
    ClipInfo info_;
    std::optional<Error> error_;  // of a frame that could not be converted
    std::int64_t firstFrame_, lastFrame_;
    std::int64_t position_ = 0;  // one behind the last frame given; 0: none yet
};

Status checkRange(const std::filesystem::path& path, const OpenOptions& options, const ClipInfo& info) {
    if (options.firstFrame < 0 || (options.lastFrame >= 0 && options.lastFrame < options.firstFrame))
        return fail(StatusCode::BadInput, fmt::format("the range of frames {} to {} of {} is empty or reversed",
                                                      options.firstFrame, options.lastFrame, quoted(path)));
    if (info.video.frameCountExact && options.firstFrame >= info.video.frameCount)
        return fail(
            StatusCode::BadInput,
            fmt::format("the range of frames begins at {}, but {} has {} frame{}, counted from 0", options.firstFrame,
                        quoted(path), info.video.frameCount, info.video.frameCount == 1 ? "" : "s"));
    return {};
}

/// The tags of what tone mapping delivers.
ColourTags bt709Tags() {
    ColourTags tags;
    tags.primaries = tags.transfer = tags.matrix = 1;
    tags.rangeKnown = true;
    tags.chromaLocation = 1;
    return tags;
}

}  // namespace

Result<std::unique_ptr<FrameSource>> openVideoSource(const std::filesystem::path& path, const OpenOptions& options) {
    DecodeOptions decoding;
    decoding.threads = options.threads;
    // Where there is no driver at all, nobody expects its decoder.
    if (hasCudaDriver()) decoding.cudaDevice = options.cudaDevice;
    RB_ASSIGN(std::unique_ptr<FrameDecoder> decoder, FrameDecoder::open(path, decoding));
    RB_ASSIGN(FileDescription file, describeFile(*decoder));
    RB_TRY(checkRange(path, options, file.info));
    const bool isHdr = file.info.video.colour.isHdr();
    if (isHdr && !options.toneMapHdr)
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is HDR video ({}), which the styles do not know; ask for tone mapping to SDR or "
                                "convert it first",
                                quoted(path), file.info.video.colour.transfer == 16 ? "PQ" : "HLG"));
    PictureConverter converter(file.info.video, file.orientation, isHdr, options.threads);
    if (isHdr) file.info.video.colour = bt709Tags();
    if (options.firstFrame > 0) RB_TRY(decoder->skipTo(options.firstFrame));
    return std::unique_ptr<FrameSource>(
        new VideoSource(path, std::move(decoder), std::move(converter), std::move(file.info), options));
}

Result<ClipInfo> inspectVideo(const std::filesystem::path& path) {
    RB_ASSIGN(const std::unique_ptr<FrameDecoder> decoder, FrameDecoder::open(path, {}));
    RB_ASSIGN(FileDescription file, describeFile(*decoder));
    return std::move(file.info);
}

}  // namespace reelbrush::media
