#include "engine/media/demuxer.h"

#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::media {

namespace {

int refuseToOpen(AVFormatContext* /*context*/, AVIOContext** /*io*/, const char* /*url*/, int /*flags*/,
                 AVDictionary** /*options*/) {
    return AVERROR(EPERM);
}

bool isCover(const AVStream& stream) {
    return (stream.disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS)) != 0;
}

std::int64_t pixels(const AVStream& stream) {
    return std::int64_t{stream.codecpar->width} * stream.codecpar->height;
}

bool isBetterVideo(const AVStream& a, const AVStream& b) {
    const bool aDefault = (a.disposition & AV_DISPOSITION_DEFAULT) != 0;
    const bool bDefault = (b.disposition & AV_DISPOSITION_DEFAULT) != 0;
    return aDefault != bDefault ? aDefault : pixels(a) > pixels(b);
}

/// Options for the decoders that look into the streams while the container is opened.
class StreamOptions {
  public:
    explicit StreamOptions(unsigned count) : dictionaries_(count, nullptr) {
        for (AVDictionary*& dictionary : dictionaries_) av_dict_set_int(&dictionary, "max_pixels", kMaxPixels, 0);
    }
    StreamOptions(const StreamOptions&) = delete;
    StreamOptions& operator=(const StreamOptions&) = delete;
    ~StreamOptions() {
        for (AVDictionary*& dictionary : dictionaries_) av_dict_free(&dictionary);
    }
    AVDictionary** data() { return dictionaries_.data(); }

  private:
    std::vector<AVDictionary*> dictionaries_;
};

}  // namespace

Result<std::unique_ptr<Demuxer>> Demuxer::open(const std::filesystem::path& file) {
    std::unique_ptr<Demuxer> demuxer(new Demuxer(file));
    const auto listening = demuxer->log_.listen();
    RB_TRY(demuxer->openContainer());
    RB_TRY(demuxer->chooseVideo());
    return demuxer;
}

Status Demuxer::openContainer() {
    AVIOContext* io = nullptr;
    Options ioOptions;
    ioOptions.set("protocol_whitelist", "file");
    const int ioCode = avio_open2(&io, fileUrl(file_).c_str(), AVIO_FLAG_READ, nullptr, ioOptions.address());
    if (ioCode < 0) return ffmpegFailure(ioCode, fmt::format("cannot read {}", quoted(file_)));
    io_.reset(io);

    AVFormatContext* context = avformat_alloc_context();
    if (!context) return fail(StatusCode::OutOfMemory, fmt::format("no memory to open {}", quoted(file_)));
    context->pb = io;
    context->io_open = refuseToOpen;
    Options options;
    options.set("protocol_whitelist", "file");
    // No name is given: a name with "%" or "*" in it would be taken for many files, and an extension may lie.
    const int code = avformat_open_input(&context, nullptr, nullptr, options.address());
    if (code < 0) {
        if (log_.lastLines().find("moov atom not found") != std::string::npos)
            return fail(
                StatusCode::BadInput,
                fmt::format("{} is an MP4 or MOV file without its index (moov): it was cut short or its recording "
                            "was never finished; use a whole copy",
                            quoted(file_)));
        if (code == AVERROR_INVALIDDATA || code == AVERROR_EOF)
            return fail(StatusCode::BadInput,
                        fmt::format("{} is neither a video nor a picture, or is damaged at its very "
                                    "beginning{}",
                                    quoted(file_), ffmpegRemark(log_)));
        return ffmpegFailure(code, fmt::format("cannot open {}", quoted(file_)), &log_);
    }
    container_.reset(context);

    StreamOptions streamOptions(container_->nb_streams);
    const int infoCode = avformat_find_stream_info(container_.get(), streamOptions.data());
    if (infoCode < 0)
        return ffmpegFailure(infoCode, fmt::format("cannot read the streams of {}", quoted(file_)), &log_);
    return {};
}

Status Demuxer::chooseVideo() {
    bool hasAudio = false, hasCover = false;
    for (unsigned i = 0; i < container_->nb_streams; ++i) {
        AVStream* stream = container_->streams[i];
        stream->discard = AVDISCARD_ALL;
        hasAudio |= stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
        if (stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
        if (isCover(*stream)) {
            hasCover = true;
        } else if (!video_ || isBetterVideo(*stream, *video_)) {
            video_ = stream;
        }
    }
    if (!video_ && (!hasAudio || container_->probe_score < AVPROBE_SCORE_RETRY))
        return fail(StatusCode::BadInput, fmt::format("{} is neither a video nor a picture", quoted(file_)));
    if (!video_)
        return fail(StatusCode::BadInput, fmt::format("{} has no video, only sound{}", quoted(file_),
                                                      hasCover ? " and a cover picture" : ""));
    video_->discard = AVDISCARD_DEFAULT;
    const AVCodecParameters& parameters = *video_->codecpar;
    const bool tooLarge = parameters.width > kMaxSide || parameters.height > kMaxSide;
    if (tooLarge)
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is {} x {} pixels, above the limit of {} pixels on a side; scale it down first",
                                quoted(file_), parameters.width, parameters.height, kMaxSide));
    const std::string said = log_.lastLines();
    if (parameters.width <= 0 && said.find("Picture size") != std::string::npos)
        return fail(StatusCode::Unsupported,
                    fmt::format("{} claims a size above the limit of {} pixels on a side; scale it down first{}",
                                quoted(file_), kMaxSide, ffmpegRemark(log_)));
    return {};
}

Demuxer::Read Demuxer::read(AVPacket& packet) {
    const auto listening = log_.listen();
    for (;;) {
        av_packet_unref(&packet);
        const int code = av_read_frame(container_.get(), &packet);
        if (code == AVERROR_EOF) return io_->error < 0 ? Read::Damaged : Read::End;
        if (code < 0) return Read::Damaged;
        if (packet.stream_index != video_->index) continue;
        return packet.flags & AV_PKT_FLAG_CORRUPT ? Read::Damaged : Read::Whole;
    }
}

bool Demuxer::seek(std::int64_t ticks) {
    const auto listening = log_.listen();
    return av_seek_frame(container_.get(), video_->index, ticks, AVSEEK_FLAG_BACKWARD) >= 0;
}

bool Demuxer::isPictureFile() const {
    const std::string_view name = container_->iformat->name;
    if (name.ends_with("_pipe")) return true;
    const AVDictionaryEntry* brand = av_dict_get(container_->metadata, "major_brand", nullptr, 0);
    return brand && std::string_view(brand->value) == "avif";
}

}  // namespace reelbrush::media
