#include "engine/media/clip_writer.h"

#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace reelbrush::media {

namespace {

constexpr int kBufferBytes = 1 << 18;
/// FFmpeg doubles MP4 ticks until there are that many a second.
constexpr int kLeastMovTimescale = 10000;

}  // namespace

Result<std::unique_ptr<ClipWriter>> ClipWriter::create(const std::filesystem::path& target, const Container& container,
                                                       const FfmpegLogCapture& log) {
    RB_ASSIGN(std::unique_ptr<PartFile> file, PartFile::create(target));
    std::unique_ptr<ClipWriter> writer(new ClipWriter(std::move(file), container, log));
    const std::string url = fileUrl(writer->file_->temporaryPath());
    const int code =
        avformat_alloc_output_context2(&writer->context_, nullptr, std::string(container.muxer).c_str(), url.c_str());
    if (code < 0) return ffmpegFailure(code, fmt::format("cannot write {} files", container.title));
    auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
    writer->stream_ = buffer ? avio_alloc_context(buffer, kBufferBytes, 1, writer.get(), nullptr,
                                                  &ClipWriter::writeBytes, &ClipWriter::seekTo)
                             : nullptr;
    if (!writer->stream_) {
        av_free(buffer);
        return fail(StatusCode::OutOfMemory, "not enough memory to write a file");
    }
    writer->context_->pb = writer->stream_;
    // The same frames give the same bytes: no random ids, no library versions.
    writer->context_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    return writer;
}

ClipWriter::ClipWriter(std::unique_ptr<PartFile> file, const Container& container, const FfmpegLogCapture& log)
    : file_(std::move(file)), container_(container), log_(log) {}

ClipWriter::~ClipWriter() {
    // FFmpeg's GIF writer holds its last frame until the trailer, and lets go of it nowhere else.
    if (started_ && container_.muxer == "gif") av_write_trailer(context_);
    avformat_free_context(context_);
    if (stream_) av_freep(&stream_->buffer);
    avio_context_free(&stream_);
}

int ClipWriter::writeBytes(void* self, std::uint8_t* bytes, int count) {
    PartFile& file = *static_cast<ClipWriter*>(self)->file_;
    return file.write({bytes, static_cast<std::size_t>(count)}) ? count : AVERROR(EIO);
}

std::int64_t ClipWriter::seekTo(void* self, std::int64_t offset, int whence) {
    PartFile& file = *static_cast<ClipWriter*>(self)->file_;
    switch (whence & ~AVSEEK_FORCE) {
        case AVSEEK_SIZE:
            return file.size();
        case SEEK_SET:
            break;
        case SEEK_CUR:
            offset += file.position();
            break;
        case SEEK_END:
            offset += file.size();
            break;
        default:
            return AVERROR(EINVAL);
    }
    return file.seek(offset) ? offset : AVERROR(EINVAL);
}

bool ClipWriter::wantsGlobalHeader() const {
    return (context_->oformat->flags & AVFMT_GLOBALHEADER) != 0;
}

bool ClipWriter::isMatroska() const {
    return container_.muxer == "matroska" || container_.muxer == "webm";
}

bool ClipWriter::isMov() const {
    return container_.muxer == "mp4" || container_.muxer == "mov";
}

AVStream* ClipWriter::addStream(AVRational timeBase) {
    AVStream* stream = avformat_new_stream(context_, nullptr);
    if (stream) stream->time_base = timeBase;
    return stream;
}

void ClipWriter::countIn(AVRational videoTimeBase) {
    movieTimescale_ = videoTimeBase.den;
    while (movieTimescale_ < kLeastMovTimescale) movieTimescale_ *= 2;
}

Status ClipWriter::start() {
    Options options;
    if (isMov()) {
        options.set("movflags", "+faststart");
        // Edit lists, which say where a track starts and ends, are counted in these: milliseconds would round.
        options.set("movie_timescale", std::to_string(movieTimescale_).c_str());
    }
    // By default FFmpeg moves all streams later until none starts before zero; sound that begins with the encoder's
    // run-in would then move the picture off its times.
    if (isMatroska()) context_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
    RB_TRY(check(avformat_write_header(context_, options.address()), "start"));
    started_ = true;
    return {};
}

Status ClipWriter::write(AVPacket& packet, const AVStream& stream, AVRational timeBase) {
    packet.stream_index = stream.index;
    packet.pos = -1;
    av_packet_rescale_ts(&packet, timeBase, stream.time_base);
    return check(av_interleaved_write_frame(context_, &packet), "write into");
}

Status ClipWriter::finish() {
    started_ = false;
    RB_TRY(check(av_write_trailer(context_), "finish"));
    avio_flush(stream_);
    if (file_->failed()) return file_->failure(work_);
    return file_->commit(work_);
}

Status ClipWriter::check(int code, const char* what) {
    if (file_->failed()) return file_->failure(work_);
    if (code >= 0) return {};
    const auto kind =
        code == AVERROR(EINVAL) || code == AVERROR_PATCHWELCOME ? StatusCode::Unsupported : ffmpegErrorCode(code);
    return fail(kind, fmt::format("cannot {} the {} file {}: {}{}", what, container_.title, quoted(file_->target()),
                                  ffmpegErrorText(code), ffmpegRemark(log_)));
}

}  // namespace reelbrush::media
