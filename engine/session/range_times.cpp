#include "engine/session/range_times.h"

#include "engine/media/frame_source.h"

namespace reelbrush::session {

Result<RangeTimes> findRangeTimes(const std::filesystem::path& clip, std::int64_t firstFrame, std::int64_t lastFrame,
                                  bool toneMapHdr) {
    RangeTimes times;
    media::OpenOptions options;
    options.toneMapHdr = toneMapHdr;
    if (firstFrame > 0) {
        options.firstFrame = options.lastFrame = firstFrame;
        RB_ASSIGN(const auto source, media::openFrameSource(clip, options));
        RB_ASSIGN(const std::optional<media::VideoFrame> frame, source->next());
        if (frame) times.start = frame->time;
    }
    if (lastFrame >= 0) {
        options.firstFrame = options.lastFrame = lastFrame;
        const auto source = media::openFrameSource(clip, options);
        if (!source) return times;  // the clip ends before: that is its own end
        const auto frame = (*source)->next();
        if (!frame || !*frame) return times;
        const Rational rate = (*source)->info().video.nominalRate;
        Rational duration = (*frame)->duration;
        if (!duration.isKnown() && rate.isKnown() && rate > Rational(0)) duration = Rational(1) / rate;
        if (duration.isKnown()) times.end = (*frame)->time + duration;
    }
    return times;
}

}  // namespace reelbrush::session
