#pragma once

#include "engine/core/status.h"
#include "engine/media/ffmpeg_handles.h"
#include "engine/media/ffmpeg_log.h"

#include <filesystem>
#include <memory>

namespace reelbrush::media {

/// Largest picture taken, in pixels on a side and in all.
inline constexpr int kMaxSide = 16384;
inline constexpr std::int64_t kMaxPixels = std::int64_t{kMaxSide} * kMaxSide;

/// An opened container and its video stream: the one flagged as default, else the largest; never a cover picture.
/// The container is told by its content, not by its name, and only the file itself is ever opened: playlists and
/// references to other files or to the network are refused. Not thread-safe.
class Demuxer {
  public:
    enum class Read { Whole, End, Damaged };

    /// file: a regular file. Errors: Io, BadInput (not media, no video), Unsupported (picture too large).
    static Result<std::unique_ptr<Demuxer>> open(const std::filesystem::path& file);

    /// The next packet of the video stream. Damaged: the container cannot be read on, or the packet is not whole.
    Read read(AVPacket& packet);
    /// Goes to a keyframe at or before a time of the video stream's time base; false where the container cannot.
    bool seek(std::int64_t ticks);

    AVFormatContext& container() const { return *container_; }
    AVStream& video() const { return *video_; }
    const std::filesystem::path& file() const { return file_; }
    FfmpegLogCapture& log() { return log_; }
    /// A container that holds one picture and nothing else (PNG, JPEG, OpenEXR, ...), as opposed to a video.
    bool isPictureFile() const;

  private:
    struct CloseIo {
        void operator()(AVIOContext* io) const { avio_closep(&io); }
    };

    explicit Demuxer(std::filesystem::path file) : file_(std::move(file)) {}
    Status openContainer();
    Status chooseVideo();

    std::filesystem::path file_;
    FfmpegLogCapture log_;
    std::unique_ptr<AVIOContext, CloseIo> io_;  // outlives the container, which reads from it
    InputContext container_;
    AVStream* video_ = nullptr;
};

}  // namespace reelbrush::media
