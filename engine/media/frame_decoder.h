#pragma once

#include "engine/core/rational.h"
#include "engine/core/status.h"
#include "engine/media/demuxer.h"
#include "engine/media/ffmpeg_handles.h"
#include "engine/media/hardware_decoders.h"
#include "engine/media/surface_download.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::media {

/// A frame as the codec gave it, with exact times in seconds.
struct DecodedFrame {
    Frame picture;
    Rational time;
    Rational duration = Rational::unknown();
    std::int64_t index = 0;
};

/// How frames are decoded.
struct DecodeOptions {
    int threads = 1;      ///< of the processor, as in OpenOptions
    int cudaDevice = -1;  ///< as in OpenOptions
    /// Tells what that card's decoder takes.
    Result<std::vector<HardwareDecoder>> (*probe)(int device) = probeHardwareDecoders;
};

/// Decodes the video stream of a file in presentation order. One frame is read ahead, since only the next frame's time
/// tells how long a frame is shown. Not thread-safe.
///
/// A graphics card's decoder gives the same frames. Whatever goes wrong with it, at the beginning or in the middle, the
/// processor takes over at that very frame, so that only what the processor cannot decode either is an error.
class FrameDecoder {
  public:
    /// Errors: as Demuxer::open; Unsupported (no decoder), BadInput (no frame decodes).
    static Result<std::unique_ptr<FrameDecoder>> open(const std::filesystem::path& file, const DecodeOptions& options);

    /// The next frame, or nothing at the end. Whole frames come first; then, where data was damaged or the file is cut
    /// short, BadInput with file, time and count, again at every later call.
    Result<std::optional<DecodedFrame>> next();
    /// The frame that next() will give, or nullptr.
    const DecodedFrame* peek() const { return ahead_ ? &*ahead_ : nullptr; }
    /// Makes next() give this frame, counted from 0, or nothing where the clip ends before; only forward.
    /// Gives exactly what decoding all would: jumps to a keyframe only where that is sure.
    Status skipTo(std::int64_t index);

    Demuxer& demuxer() { return *demuxer_; }
    bool usesHardware() const { return usesHardware_; }
    /// What a user should know: why a graphics card's decoder was not used.
    const std::vector<std::string>& notes() const { return notes_; }

  private:
    FrameDecoder(std::filesystem::path file, const DecodeOptions& options)
        : file_(std::move(file)), options_(options) {}
    Status start();
    Status begin();
    Status openCodec();
    const AVCodec* chooseCodec();
    void giveUpHardware(const std::string& reason);
    Result<std::optional<DecodedFrame>> decodeByProcessor(std::int64_t index);
    static AVPixelFormat takeCudaSurfaces(AVCodecContext* codec, const AVPixelFormat* offered);
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
    DecodeOptions options_;
    std::vector<std::string> notes_;
    BufferRef device_;  // of the graphics card, once it was opened
    SurfaceDownload download_;
    bool usesHardware_ = false;
    bool surfacesRefused_ = false;
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
