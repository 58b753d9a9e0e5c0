#include "engine/media/frame_clock.h"

#include "engine/media/ffmpeg_error.h"

#include <algorithm>
#include <limits>

namespace reelbrush::media {

namespace {

/// For sources that say neither time base nor rate: MPEG's clock.
constexpr AVRational kUsualTimeBase{1, 90000};
/// MP4 counts in 32 bits; finer ticks would leave little more than seconds.
constexpr std::int64_t kFinestTick = 10'000'000;
/// GIF counts in hundredths.
constexpr AVRational kGifTimeBase{1, 100};

bool isPositive(Rational value) {
    return value.isKnown() && value.num > 0;
}

Rational rateOf(const ClipInfo& source) {
    return isPositive(source.video.nominalRate) && !source.video.variableRate ? source.video.nominalRate
                                                                              : source.video.averageRate;
}

/// Codecs that tell the frame rate in the stream, in few bits.
bool needsTickPerFrame(AVCodecID codec) {
    return codec == AV_CODEC_ID_MPEG4 || codec == AV_CODEC_ID_MPEG2VIDEO || codec == AV_CODEC_ID_MPEG1VIDEO ||
           codec == AV_CODEC_ID_DNXHD;
}

/// floor(ticks + 1/2)
std::int64_t nearest(Rational ticks) {
    const Rational shifted = ticks + Rational(1, 2);
    const std::int64_t quotient = shifted.num / shifted.den;
    return shifted.num % shifted.den < 0 ? quotient - 1 : quotient;
}

}  // namespace

AVRational chooseTimeBase(const ClipInfo& source, const Container& container, AVCodecID codec) {
    if (codec == AV_CODEC_ID_GIF) return kGifTimeBase;
    const Rational rate = rateOf(source);
    const bool rateKnown = isPositive(rate) && rate.num < std::numeric_limits<int>::max();
    if (container.constantRateOnly || needsTickPerFrame(codec)) {
        return rateKnown ? toAv(Rational(1) / rate) : AVRational{1, 25};
    }
    const Rational ticks = source.video.timeBase;
    if (isPositive(ticks) && ticks.den <= kFinestTick) return {1, static_cast<int>(ticks.den)};
    if (rateKnown && rate.num <= kFinestTick) return {1, static_cast<int>(rate.num)};
    return kUsualTimeBase;
}

FrameClock::FrameClock(AVRational timeBase, Rational origin, Rational usualDuration)
    : timeBase_(timeBase), origin_(origin), usualDuration_(usualDuration) {}

bool FrameClock::place(Rational time, Rational duration, Place& result) {
    const bool first = !lastTime_.isKnown();
    if (!time.isKnown() || (!first && time <= lastTime_)) return false;
    const Rational ticks = (time - origin_) / fromAv(timeBase_);
    if (ticks.den != 1) exact_ = false;
    result.time = nearest(ticks);
    if (!first) {
        if (result.time <= lastTick_) {
            result.time = lastTick_ + 1;
            exact_ = false;
        }
        lastDuration_ = result.time - lastTick_;
    }
    const Rational shown = isPositive(duration) ? duration : usualDuration_;
    result.duration = lastDuration_;
    if (isPositive(shown)) {
        const std::int64_t end = nearest((time - origin_ + shown) / fromAv(timeBase_));
        result.duration = std::max<std::int64_t>(1, end - result.time);
    }
    lastTime_ = time;
    lastTick_ = result.time;
    return true;
}

}  // namespace reelbrush::media
