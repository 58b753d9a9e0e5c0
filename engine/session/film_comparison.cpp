#include "engine/session/film_comparison.h"

#include "engine/imaging/fit_picture.h"
#include "engine/media/frame_source.h"

namespace reelbrush::session {

Result<temporal::WarpErrorReport> measureCoherence(const std::filesystem::path& input,
                                                   const std::filesystem::path& output, const CancelToken& cancel,
                                                   const std::function<void(std::int64_t frames)>& progress) {
    media::OpenOptions options;
    options.toneMapHdr = true;
    RB_ASSIGN(const auto before, media::openFrameSource(input, options));
    RB_ASSIGN(const auto after, media::openFrameSource(output, options));
    temporal::WarpErrorMeter meter;
    for (std::int64_t frames = 1;; ++frames) {
        RB_TRY(cancel.check());
        RB_ASSIGN(const std::optional<media::VideoFrame> source, before->next());
        RB_ASSIGN(const std::optional<media::VideoFrame> painted, after->next());
        if (!source || !painted) break;
        cv::Mat picture = source->rgb;
        if (picture.size() != painted->rgb.size()) {
            RB_ASSIGN(picture, imaging::resizePicture(picture, painted->rgb.size()));
        }
        RB_TRY(meter.add(picture, painted->rgb));
        if (progress) progress(frames);
    }
    return meter.report();
}

}  // namespace reelbrush::session
