#pragma once

#include "engine/core/status.h"
#include "engine/media/encoder_choice.h"
#include "engine/media/ffmpeg_handles.h"
#include "engine/media/frame_clock.h"
#include "engine/media/output_colour.h"
#include "engine/media/pixel_converter.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>

namespace reelbrush::media {

/// What an encoder needs to know beside the choice of itself.
struct EncoderSetup {
    int width = 0, height = 0;
    OutputColour colour;
    Rational pixelAspect{1, 1};
    AVRational timeBase{1, 25};
    /// Mean rate, for rate control only; unknown is fine.
    Rational averageRate = Rational::unknown();
    int threads = 0;
    /// The container keeps stream headers apart.
    bool globalHeader = false;
    /// Frames stay in order: for containers that have no presentation times of their own.
    bool noReordering = false;
    /// The card of an NVENC encoder; negative: the first.
    int cudaDevice = -1;
};

/// Float frames in, compressed packets out, with exact times. Not thread-safe.
class VideoEncoder {
  public:
    /// Called for each packet, in decoding order; times in ticks of EncoderSetup::timeBase, durations set.
    using PacketSink = std::function<Status(AVPacket&)>;

    /// Errors: Unsupported (the encoder refuses the size or is not there), OutOfMemory, Internal.
    static Result<std::unique_ptr<VideoEncoder>> open(const EncoderChoice& choice, const EncoderSetup& setup);
    /// Encodes one frame. Packets come when the encoder sees fit.
    Status encode(const VideoFrame& frame, FrameClock::Place place, const PacketSink& sink);
    /// The packets that are still inside. No call after it.
    Status flush(const PacketSink& sink);

    const AVCodecContext& context() const { return *context_; }

  private:
    VideoEncoder() = default;
    Status drain(const PacketSink& sink);
    std::int64_t decodeTime(const AVPacket& packet);
    Status deliverLast(const PacketSink& sink);

    std::unique_ptr<PixelConverter> converter_;
    CodecContext context_;
    /// Durations of frames inside the encoder, by time: most encoders do not carry them along.
    std::map<std::int64_t, std::int64_t> durations_;
    /// Above zero: decoding times are counted here, from the times of the frames whose packets are still to come.
    std::int64_t reorderDelay_ = 0;
    std::deque<std::int64_t> inputTimes_;
    std::int64_t packetCount_ = 0;
    /// The newest packet waits for the next, since the last one's duration must close the clip.
    Packet waiting_;
    bool hasWaiting_ = false;
    std::int64_t firstTime_ = 0, endTime_ = 0, firstDecodeTime_ = 0, lastDecodeTime_ = 0;
    bool started_ = false;
};

}  // namespace reelbrush::media
