#pragma once

#include "engine/core/rational.h"
#include "engine/media/clip_info.h"
#include "engine/media/output_target.h"

#include <cstdint>

extern "C" {
#include <libavcodec/codec_id.h>
#include <libavutil/rational.h>
}

namespace reelbrush::media {

/// Ticks in which an output's frame times are counted: the source's own wherever container and codec allow, so that
/// every frame time is a whole number of them; a tick per frame where they allow only constant rates.
AVRational chooseTimeBase(const ClipInfo& source, const Container& container, AVCodecID codec);

/// Places frames on those ticks. Frame times that fall between two ticks go to the nearer one, and never onto the frame
/// before; `exact()` tells whether that happened.
class FrameClock {
  public:
    struct Place {
        std::int64_t time = 0;      ///< ticks
        std::int64_t duration = 0;  ///< ticks, at least 1
    };

    /// origin: what becomes zero, in seconds. usualDuration: for frames that bring none; unknown: the gap before them.
    FrameClock(AVRational timeBase, Rational origin, Rational usualDuration);
    /// False where the frame is not later than the one before.
    bool place(Rational time, Rational duration, Place& result);
    AVRational timeBase() const { return timeBase_; }
    bool exact() const { return exact_; }

  private:
    AVRational timeBase_;
    Rational origin_, usualDuration_;
    Rational lastTime_ = Rational::unknown();
    std::int64_t lastTick_ = 0, lastDuration_ = 1;
    bool exact_ = true;
};

}  // namespace reelbrush::media
