#include "engine/media/sequence_source.h"

#include "engine/media/clip_location.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/video_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace reelbrush::media {

namespace {

ClipInfo asSequence(ClipInfo info, const NumberedPictures& pictures, Rational rate) {
    info.container = "image2";
    info.isPicture = false;
    info.isSequence = true;
    info.video.frameCount = pictures.count;
    info.video.frameCountExact = true;
    info.video.averageRate = info.video.nominalRate = rate;
    info.video.variableRate = false;
    info.video.timeBase = Rational(1) / rate;
    info.video.startTime = Rational(0);
    info.video.duration = info.duration = Rational(pictures.count) / rate;
    info.sizeBytes = 0;
    for (std::int64_t i = 0; i < pictures.count; ++i) {
        std::error_code error;
        const auto size = std::filesystem::file_size(pictures.pathOf(i), error);
        if (!error) info.sizeBytes += static_cast<std::int64_t>(size);
    }
    return info;
}

class SequenceSource final : public FrameSource {
  public:
    SequenceSource(NumberedPictures pictures, ClipInfo info, const OpenOptions& options)
        : pictures_(std::move(pictures)),
          info_(std::move(info)),
          options_(options),
          next_(options.firstFrame),
          end_(options.lastFrame < 0 ? pictures_.count : std::min(options.lastFrame + 1, pictures_.count)) {}

    const ClipInfo& info() const override { return info_; }

    Result<std::optional<VideoFrame>> next() override {
        if (next_ >= end_) return std::nullopt;
        const std::filesystem::path path = pictures_.pathOf(next_);
        RB_TRY(locateClip(path));
        OpenOptions options;
        options.toneMapHdr = options_.toneMapHdr;
        options.threads = options_.threads;
        RB_ASSIGN(const auto picture, openVideoSource(path, options));
        const VideoStreamInfo& video = picture->info().video;
        if (video.width != info_.video.width || video.height != info_.video.height)
            return fail(
                StatusCode::BadInput,
                fmt::format("{} is {} x {} pixels, but the first picture of its sequence is {} x {}; all must have "
                            "one size",
                            quoted(path), video.width, video.height, info_.video.width, info_.video.height));
        RB_ASSIGN(std::optional<VideoFrame> frame, picture->next());
        RB_ENSURE(frame, "a picture without a frame");
        frame->time = Rational(next_) / options_.sequenceRate;
        frame->duration = Rational(1) / options_.sequenceRate;
        frame->index = next_++;
        return frame;
    }

  private:
    NumberedPictures pictures_;
    ClipInfo info_;
    OpenOptions options_;
    std::int64_t next_, end_;
};

}  // namespace

Result<std::unique_ptr<FrameSource>> openSequenceSource(const NumberedPictures& pictures, const OpenOptions& options) {
    if (!options.sequenceRate.isKnown() || options.sequenceRate <= Rational(0))
        return fail(StatusCode::BadInput,
                    fmt::format("{} frames per second is no rate for the picture sequence {}",
                                options.sequenceRate.toString(), quoted(pictures.folder / pictures.pattern())));
    const bool reversed = options.lastFrame >= 0 && options.lastFrame < options.firstFrame;
    if (options.firstFrame < 0 || reversed || options.firstFrame >= pictures.count)
        return fail(StatusCode::BadInput,
                    fmt::format("the range of frames {} to {} does not fit the {} pictures of {}, counted from 0",
                                options.firstFrame, options.lastFrame, pictures.count,
                                quoted(pictures.folder / pictures.pattern())));
    OpenOptions pictureOptions;
    pictureOptions.toneMapHdr = options.toneMapHdr;
    RB_TRY(locateClip(pictures.pathOf(0)));
    RB_ASSIGN(const auto first, openVideoSource(pictures.pathOf(0), pictureOptions));
    ClipInfo info = asSequence(first->info(), pictures, options.sequenceRate);
    return std::unique_ptr<FrameSource>(new SequenceSource(pictures, std::move(info), options));
}

Result<ClipInfo> inspectSequence(const NumberedPictures& pictures, Rational rate) {
    RB_TRY(locateClip(pictures.pathOf(0)));
    RB_ASSIGN(ClipInfo first, inspectVideo(pictures.pathOf(0)));
    return asSequence(std::move(first), pictures, rate);
}

}  // namespace reelbrush::media
