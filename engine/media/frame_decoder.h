#pragma once

#include "engine/core/rational.h"
#include "engine/core/status.h"
#include "engine/media/demuxer.h"
#include "engine/media/ffmpeg_handles.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace reelbrush::media {

/// A frame as the codec gave it, with exact times in seconds.
struct DecodedFrame {
    Frame picture;
    Rational time;
    Rational duration = Rational::unknown();
    std::int64_t index = 0;
};

/// Decodes the video stream of a file in presentation order. One frame is read ahead, since only the next frame's time
/// tells how long a frame is shown. Not thread-safe.
class FrameDecoder {
  public:
    /// threads: as in OpenOptions. Errors: as Demuxer::open; Unsupported (no decoder), BadInput (no frame decodes).
    static Result<std::unique_ptr<FrameDecoder>> open(const std::filesystem::path& file, int threads);

    /// The next frame, or nothing at the end. Whole frames come first; then, where data was damaged or the file is cut
    /// short, BadInput with file, time and count, again at every later call.
    Result<std::optional<DecodedFrame>> next();
    /// The frame that next() will give, or nullptr.
    const DecodedFrame* peek() const { return ahead_ ? &*ahead_ : nullptr; }
    /// Makes next() give this frame, counted from 0, or nothing where the clip ends before; only forward.
    /// Gives exactly what decoding all would: jumps to a keyframe only where that is sure.
    Status skipTo(std::int64_t index);

    Demuxer& demuxer() { return *demuxer_; }

  private:
    FrameDecoder(std::filesystem::path file, int threads) : file_(std::move(file)), threads_(threads) {}
    Status start();
    Status openCodec();
    Result<Frame> receive();
    Status feed();
    Result<Frame> endOfStream() const;
    tl::unexpected<Error> pictureDamaged() const;
    void stopAt(std::string reason);
    Result<std::optional<DecodedFrame>> decode();
    Result<bool> jumpTo(std::int64_t index);
    bool isWhole() const;
    std::string position() const;

    std::filesystem::path file_;
    int threads_;
    std::unique_ptr<Demuxer> demuxer_;
    CodecContext codec_;
    Packet packet_;
    std::optional<DecodedFrame> ahead_;
    std::optional<Error> errorAhead_;
    std::string damage_;  // why decoding stopped early; empty: it did not
    bool flushed_ = false;
    bool containerEnded_ = false;  // by its end or because it cannot be read on
    std::int64_t lastPacketPosition_ = -1;
    std::int64_t lastTicks_ = AV_NOPTS_VALUE;
    std::int64_t firstTicksWanted_ = AV_NOPTS_VALUE;  // after a jump: what comes before is not complete
    std::int64_t nextIndex_ = 0;
};

}  // namespace reelbrush::media
