#include "engine/media/frame_decoder.h"

#include "engine/media/container_length.h"
#include "engine/media/cuda_video_device.h"
#include "engine/media/decoder_choice.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/packet_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace reelbrush::media {

namespace {

/// Below this, decoding and dropping is quicker than looking for a keyframe.
constexpr std::int64_t kFewFrames = 16;

std::string codecName(const AVCodecParameters& parameters) {
    if (parameters.codec_id != AV_CODEC_ID_NONE) return avcodec_get_name(parameters.codec_id);
    std::array<char, AV_FOURCC_MAX_STRING_SIZE> tag{};
    return av_fourcc_make_string(tag.data(), parameters.codec_tag);
}

bool isDamaged(const AVFrame& frame) {
    return frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

}  // namespace

Result<std::unique_ptr<FrameDecoder>> FrameDecoder::open(const std::filesystem::path& file,
                                                         const DecodeOptions& options) {
    std::unique_ptr<FrameDecoder> decoder(new FrameDecoder(file, options));
    RB_TRY(decoder->start());
    return decoder;
}

Status FrameDecoder::start() {
    const Status begun = begin();
    if (begun || !usesHardware_) return begun;
    giveUpHardware(begun.error().message);
    return begin();
}

void FrameDecoder::giveUpHardware(const std::string& reason) {
    notes_.push_back(fmt::format("decoded by the processor, not by the graphics card: {}", reason));
    options_.cudaDevice = -1;
}

Status FrameDecoder::begin() {
    usesHardware_ = surfacesRefused_ = false;
    codec_.reset();
    RB_ASSIGN(demuxer_, Demuxer::open(file_));
    const auto listening = demuxer_->log().listen();
    RB_TRY(openCodec());
    packet_.reset(av_packet_alloc());
    ahead_.reset();
    errorAhead_.reset();
    damage_.clear();
    flushed_ = containerEnded_ = false;
    lastPacketPosition_ = -1;
    lastTicks_ = firstTicksWanted_ = AV_NOPTS_VALUE;
    nextIndex_ = 0;
    // Some picture decoders fill up what is missing without a word.
    if (demuxer_->isPictureFile() && isCutShort(file_)) return pictureDamaged();
    RB_ASSIGN(ahead_, decode());
    if (!ahead_)
        return fail(StatusCode::BadInput,
                    fmt::format("no frame of {} can be decoded: its {} data is damaged or missing{}", quoted(file_),
                                codecName(*demuxer_->video().codecpar), ffmpegRemark(demuxer_->log())));
    return {};
}

AVPixelFormat FrameDecoder::takeCudaSurfaces(AVCodecContext* codec, const AVPixelFormat* offered) {
    for (const AVPixelFormat* format = offered; *format != AV_PIX_FMT_NONE; ++format)
        if (*format == AV_PIX_FMT_CUDA) return *format;
    static_cast<FrameDecoder*>(codec->opaque)->surfacesRefused_ = true;
    return AV_PIX_FMT_NONE;
}

/// The graphics card's decoder where it takes the stream, else the processor's; null where there is none.
const AVCodec* FrameDecoder::chooseCodec() {
    const StreamTraits traits = traitsOf(demuxer_->video());
    if (options_.cudaDevice >= 0 && !demuxer_->isPictureFile()) {
        const auto offered = options_.probe(options_.cudaDevice);
        std::string reason = offered ? reasonAgainstHardware(traits, *offered) : offered.error().message;
        if (reason.empty() && !device_) {
            auto device = openCudaVideoDevice(options_.cudaDevice);
            if (device) {
                device_ = std::move(*device);
            } else {
                reason = device.error().message;
            }
        }
        usesHardware_ = reason.empty();
        if (usesHardware_) return cudaDecoder(traits.codec);
        giveUpHardware(reason);
    }
    return softwareDecoder(traits);
}

Status FrameDecoder::openCodec() {
    const AVStream& stream = demuxer_->video();
    const AVCodec* decoder = chooseCodec();
    if (!decoder)
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is coded as '{}', for which the installed FFmpeg has no decoder; convert it first",
                                quoted(file_), codecName(*stream.codecpar)));
    codec_.reset(avcodec_alloc_context3(decoder));
    if (!codec_) return fail(StatusCode::OutOfMemory, fmt::format("no memory to decode {}", quoted(file_)));
    int code = avcodec_parameters_to_context(codec_.get(), stream.codecpar);
    codec_->pkt_timebase = stream.time_base;
    codec_->thread_count = usesHardware_ ? 1 : options_.threads;
    if (usesHardware_) {
        codec_->hw_device_ctx = av_buffer_ref(device_.get());
        codec_->opaque = this;
        codec_->get_format = takeCudaSurfaces;
    }
    codec_->max_pixels = kMaxPixels;
    // A picture is whole or refused; in videos real files break small rules that do not show, so that only what the
    // decoder marks as damaged counts there. The TIFF decoder would refuse every tag that it does not know.
    if (demuxer_->isPictureFile() && decoder->id != AV_CODEC_ID_TIFF)
        codec_->err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE;
    if (code >= 0) code = avcodec_open2(codec_.get(), decoder, nullptr);
    if (code < 0)
        return ffmpegFailure(code, fmt::format("cannot decode {} ({})", quoted(file_), codecName(*stream.codecpar)),
                             &demuxer_->log());
    return {};
}

std::string FrameDecoder::position() const {
    if (lastTicks_ == AV_NOPTS_VALUE) return "at its beginning";
    const Rational time = fromTicks(lastTicks_, demuxer_->video().time_base);
    return fmt::format("after {:.3f} s ({} frames)", time.toDouble(), nextIndex_);
}

void FrameDecoder::stopAt(std::string reason) {
    if (damage_.empty()) damage_ = std::move(reason);
    if (!flushed_) avcodec_send_packet(codec_.get(), nullptr);
    flushed_ = true;
}

Status FrameDecoder::feed() {
    RB_ENSURE(!flushed_, "decoder fed after its end");
    const Demuxer::Read read = demuxer_->read(*packet_);
    containerEnded_ = read != Demuxer::Read::Whole;
    if (read == Demuxer::Read::Damaged) {
        stopAt("its data cannot be read on");
    } else if (read == Demuxer::Read::End) {
        const int code = avcodec_send_packet(codec_.get(), nullptr);
        flushed_ = true;
        if (code == AVERROR(ENOMEM))
            return fail(StatusCode::OutOfMemory, fmt::format("no memory to decode {}", quoted(file_)));
    } else {
        lastPacketPosition_ = packet_->pos;
        const int code = avcodec_send_packet(codec_.get(), packet_.get());
        if (code == AVERROR(ENOMEM))
            return fail(StatusCode::OutOfMemory, fmt::format("no memory to decode {}", quoted(file_)));
        // A recording may begin in the middle of a group of pictures: what comes before the first frame does not count.
        const bool begun = lastTicks_ != AV_NOPTS_VALUE || demuxer_->isPictureFile();
        if (code < 0 && begun) stopAt("its data is damaged");
    }
    return {};
}

bool FrameDecoder::isWhole() const {
    AVStream& stream = demuxer_->video();
    const bool isMov = std::string_view(demuxer_->container().iformat->name).find("mp4") != std::string_view::npos;
    const int entries = avformat_index_get_entries_count(&stream);
    // MP4 lists every packet: what is cut off behind the last one of the video does not matter.
    if (isMov && stream.nb_frames > 0 && entries > 0)
        return avformat_index_get_entry(&stream, entries - 1)->pos == lastPacketPosition_;
    return !isCutShort(file_);
}

tl::unexpected<Error> FrameDecoder::pictureDamaged() const {
    return fail(StatusCode::BadInput, fmt::format("the picture {} is damaged or cut short; use a whole copy{}",
                                                  quoted(file_), ffmpegRemark(demuxer_->log())));
}

Result<Frame> FrameDecoder::endOfStream() const {
    const bool isPicture = demuxer_->isPictureFile();
    const std::string remark = ffmpegRemark(demuxer_->log());
    if (isPicture && lastTicks_ == AV_NOPTS_VALUE)
        return fail(StatusCode::BadInput,
                    fmt::format("the picture {} is damaged or cut short{}", quoted(file_), remark));
    if (isPicture) return Frame();
    if (containerEnded_ && !isWhole())
        return fail(
            StatusCode::BadInput,
            fmt::format("{} is cut short: it ends {}, before its container says that it does; use a whole copy or "
                        "choose a range of frames before that",
                        quoted(file_), position()));
    if (!damage_.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("{} is damaged {}: {}; use a whole copy or choose a range of frames "
                                "before that{}",
                                quoted(file_), position(), damage_, remark));
    return Frame();
}

Result<Frame> FrameDecoder::receive() {
    for (;;) {
        Frame frame(av_frame_alloc());
        if (!frame) return fail(StatusCode::OutOfMemory, fmt::format("no memory to decode {}", quoted(file_)));
        const int code = avcodec_receive_frame(codec_.get(), frame.get());
        if (surfacesRefused_)
            return fail(StatusCode::Unsupported, "it refuses this clip" + ffmpegRemark(demuxer_->log()));
        const bool begun = lastTicks_ != AV_NOPTS_VALUE;
        if (code == AVERROR(EAGAIN)) {
            RB_TRY(feed());
        } else if (code == AVERROR_EOF) {
            return endOfStream();
        } else if (code == AVERROR(ENOMEM)) {
            return fail(StatusCode::OutOfMemory, fmt::format("no memory to decode {}", quoted(file_)));
        } else if (code < 0) {
            if (begun || demuxer_->isPictureFile()) stopAt("its data is damaged");
        } else {
            const std::int64_t ticks = frame->best_effort_timestamp;
            if (firstTicksWanted_ != AV_NOPTS_VALUE && ticks < firstTicksWanted_) continue;
            if (!isDamaged(*frame)) {
                if (frame->format != AV_PIX_FMT_CUDA) return frame;
                return download_.download(*frame, codec_->sw_pix_fmt);
            }
            if (begun || demuxer_->isPictureFile()) {
                stopAt("its data is damaged");
                return endOfStream();
            }
        }
    }
}

Result<std::optional<DecodedFrame>> FrameDecoder::decode() {
    const auto listening = demuxer_->log().listen();
    RB_ASSIGN(Frame picture, receive());
    if (!picture) return std::nullopt;
    const AVStream& stream = demuxer_->video();
    std::int64_t ticks = picture->best_effort_timestamp;
    if (ticks == AV_NOPTS_VALUE) {
        const AVRational rate = av_guess_frame_rate(&demuxer_->container(), &demuxer_->video(), picture.get());
        const std::int64_t step = rate.num > 0 ? av_rescale_q(1, av_inv_q(rate), stream.time_base) : 1;
        ticks = lastTicks_ == AV_NOPTS_VALUE ? 0 : lastTicks_ + std::max<std::int64_t>(step, 1);
    }
    // Broken files repeat a time; whoever plays or writes frames needs times that grow.
    if (lastTicks_ != AV_NOPTS_VALUE && ticks <= lastTicks_) ticks = lastTicks_ + 1;
    lastTicks_ = ticks;
    firstTicksWanted_ = AV_NOPTS_VALUE;

    DecodedFrame frame;
    frame.time = fromTicks(ticks, stream.time_base);
    frame.index = nextIndex_++;
    if (picture->pkt_duration > 0) {
        frame.duration = fromTicks(picture->pkt_duration, stream.time_base);
    } else if (const AVRational rate = stream.avg_frame_rate; rate.num > 0) {
        frame.duration = fromAv(av_inv_q(rate));
    }
    frame.picture = std::move(picture);
    return frame;
}

Result<std::optional<DecodedFrame>> FrameDecoder::next() {
    if (!ahead_) {
        if (errorAhead_) return fail(*errorAhead_);
        return std::nullopt;
    }
    std::optional<DecodedFrame> frame = std::move(ahead_);
    ahead_.reset();
    auto following = decode();
    if (!following && usesHardware_) {
        giveUpHardware(following.error().message);
        following = decodeByProcessor(frame->index + 1);
    }
    if (!following) {
        errorAhead_ = following.error();
    } else if (*following) {
        ahead_ = std::move(*following);
        frame->duration = ahead_->time - frame->time;
    }
    return frame;
}

/// What comes at this place when all is decoded anew, by the processor alone.
Result<std::optional<DecodedFrame>> FrameDecoder::decodeByProcessor(std::int64_t index) {
    RB_TRY(begin());
    RB_TRY(skipTo(index));
    if (!ahead_ && errorAhead_) return fail(*errorAhead_);
    return std::exchange(ahead_, std::nullopt);
}

Result<bool> FrameDecoder::jumpTo(std::int64_t index) {
    RB_ASSIGN(const std::optional<SeekPoint> point, findSeekPoint(file_, index));
    if (!point || point->index <= nextIndex_ || !demuxer_->seek(point->pts)) return false;
    const auto listening = demuxer_->log().listen();
    avcodec_flush_buffers(codec_.get());
    flushed_ = containerEnded_ = false;
    for (;;) {
        if (demuxer_->read(*packet_) != Demuxer::Read::Whole) return false;
        if (!(packet_->flags & AV_PKT_FLAG_KEY)) continue;
        if (packet_->pts > point->pts) return false;
        if (packet_->pts == point->pts) break;
    }
    lastPacketPosition_ = packet_->pos;
    if (avcodec_send_packet(codec_.get(), packet_.get()) < 0) return false;
    firstTicksWanted_ = point->pts;
    lastTicks_ = AV_NOPTS_VALUE;
    nextIndex_ = point->index;
    auto frame = decode();
    if (!frame || !*frame) return false;
    const bool isThatFrame = lastTicks_ == point->pts;
    ahead_ = std::move(*frame);
    errorAhead_.reset();
    return isThatFrame;
}

Status FrameDecoder::skipTo(std::int64_t index) {
    const std::int64_t here = ahead_ ? ahead_->index : nextIndex_;
    if (index - here >= kFewFrames && ahead_) {
        const auto jumped = jumpTo(index);
        // Whatever went wrong shows again when all is decoded from the beginning.
        if (!jumped || !*jumped) RB_TRY(start());
    }
    while (ahead_ && ahead_->index < index) RB_TRY(next());
    return {};
}

}  // namespace reelbrush::media
