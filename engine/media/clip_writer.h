#pragma once

#include "engine/core/status.h"
#include "engine/media/ffmpeg_handles.h"
#include "engine/media/ffmpeg_log.h"
#include "engine/media/output_target.h"
#include "engine/media/part_file.h"

#include <memory>

namespace reelbrush::media {

/// A container file being written: streams are added, then start(), packets in any order of streams, finish().
/// All bytes go through a PartFile, so that a full disk is noticed with its reason. Not thread-safe.
class ClipWriter {
  public:
    /// Errors: Io.
    /// log: where FFmpeg's remarks end up; must outlive the writer.
    static Result<std::unique_ptr<ClipWriter>> create(const std::filesystem::path& target, const Container& container,
                                                      const FfmpegLogCapture& log);
    ~ClipWriter();
    ClipWriter(const ClipWriter&) = delete;
    ClipWriter& operator=(const ClipWriter&) = delete;

    /// A stream of that many ticks a second wished for; what the container makes of it is in stream.time_base after
    /// start(). Null when out of memory.
    AVStream* addStream(AVRational timeBase);
    /// Video times must come out exactly: the whole file is counted in ticks that hold them.
    void countIn(AVRational videoTimeBase);
    /// For metadata and chapters, before start().
    AVFormatContext& context() { return *context_; }
    bool wantsGlobalHeader() const;
    bool isMatroska() const;
    bool isMov() const;

    /// Errors: Io, Unsupported (the container refuses a stream).
    Status start();
    /// Takes over the packet's data. Times in ticks of `timeBase`. Errors: Io, Internal.
    Status write(AVPacket& packet, const AVStream& stream, AVRational timeBase);
    /// Trailer, sync, rename. Errors: Io.
    Status finish();

    std::int64_t bytesWritten() const { return file_->size(); }
    /// How far the clip has come, for the message about a full disk.
    void setWorkDone(WorkDone work) { work_ = work; }

  private:
    ClipWriter(std::unique_ptr<PartFile> file, const Container& container, const FfmpegLogCapture& log);
    Status check(int code, const char* what);
    static int writeBytes(void* self, std::uint8_t* bytes, int count);
    static std::int64_t seekTo(void* self, std::int64_t offset, int whence);

    std::unique_ptr<PartFile> file_;
    const Container& container_;
    const FfmpegLogCapture& log_;
    AVFormatContext* context_ = nullptr;
    AVIOContext* stream_ = nullptr;
    WorkDone work_;
    int movieTimescale_ = 1000;
    bool started_ = false;  ///< header written, trailer not yet
};

}  // namespace reelbrush::media
