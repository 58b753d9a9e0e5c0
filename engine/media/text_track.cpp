#include "engine/media/carried_track.h"
#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

namespace reelbrush::media {

namespace {

/// Longer than any subtitle of a film; FFmpeg's encoders write into a buffer of fixed size.
constexpr std::size_t kTextBytes = 1 << 16;
constexpr AVRational kMilliseconds{1, 1000};

struct SubtitleText {
    AVSubtitle value{};
    ~SubtitleText() { avsubtitle_free(&value); }
};

/// Decodes text subtitles to FFmpeg's common form (ASS lines) and encodes them for the container.
class TextTrack final : public CarriedTrack {
  public:
    explicit TextTrack(const TrackSetup& setup) : setup_(setup), buffer_(kTextBytes) {}

    Status open(const AVCodec& encoder) {
        const char* what = "cannot convert subtitles";
        const AVCodecParameters* source = setup_.source->codecpar;
        const AVCodec* decoder = avcodec_find_decoder(source->codec_id);
        if (!decoder)
            return fail(StatusCode::Unsupported, fmt::format("no decoder for {}", avcodec_get_name(source->codec_id)));
        decoder_.reset(avcodec_alloc_context3(decoder));
        encoder_.reset(avcodec_alloc_context3(&encoder));
        packet_.reset(av_packet_alloc());
        if (!decoder_ || !encoder_ || !packet_) return fail(StatusCode::OutOfMemory, what);
        int code = avcodec_parameters_to_context(decoder_.get(), source);
        decoder_->pkt_timebase = setup_.source->time_base;
        if (code >= 0) code = avcodec_open2(decoder_.get(), decoder, nullptr);
        if (code < 0) return ffmpegFailure(code, what);

        encoder_->time_base = kMilliseconds;
        encoder_->flags |= AV_CODEC_FLAG_BITEXACT;
        // The decoder's script header names the styles that its lines refer to.
        if (decoder_->subtitle_header_size > 0) {
            const auto size = static_cast<std::size_t>(decoder_->subtitle_header_size);
            encoder_->subtitle_header = static_cast<std::uint8_t*>(av_mallocz(size + 1));
            if (!encoder_->subtitle_header) return fail(StatusCode::OutOfMemory, what);
            std::memcpy(encoder_->subtitle_header, decoder_->subtitle_header, size);
            encoder_->subtitle_header_size = decoder_->subtitle_header_size;
        }
        code = avcodec_open2(encoder_.get(), &encoder, nullptr);
        if (code < 0) return ffmpegFailure(code, what);

        target_ = setup_.writer->addStream(kMilliseconds);
        if (!target_) return fail(StatusCode::OutOfMemory, what);
        code = avcodec_parameters_from_context(target_->codecpar, encoder_.get());
        if (code < 0) return ffmpegFailure(code, what);
        carryDescription(setup_, *target_, true);
        return {};
    }

    Status take(AVPacket& packet) override {
        SubtitleText text;
        int decoded = 0;
        if (packet.pts == AV_NOPTS_VALUE) return {};
        if (avcodec_decode_subtitle2(decoder_.get(), &text.value, &decoded, &packet) < 0 || decoded == 0) return {};
        if (text.value.num_rects == 0) return {};

        Rational begin =
            fromTicks(packet.pts, setup_.source->time_base) + Rational(text.value.start_display_time, 1000);
        Rational end = begin + fromTicks(packet.duration, setup_.source->time_base);
        const CarriedSpan& span = setup_.span;
        if (span.start.isKnown() && begin < span.start) begin = span.start;
        if (span.end.isKnown() && end > span.end) end = span.end;
        if (end <= begin) return {};

        text.value.start_display_time = 0;
        text.value.end_display_time = static_cast<std::uint32_t>(toTicks(end - begin, kMilliseconds));
        const int size =
            avcodec_encode_subtitle(encoder_.get(), buffer_.data(), static_cast<int>(buffer_.size()), &text.value);
        if (size <= 0) return {};
        if (av_new_packet(packet_.get(), size) < 0)
            return fail(StatusCode::OutOfMemory, "not enough memory for a subtitle");
        std::memcpy(packet_->data, buffer_.data(), static_cast<std::size_t>(size));
        packet_->pts = packet_->dts = toTicks(begin - span.origin, kMilliseconds);
        packet_->duration = text.value.end_display_time;
        packet_->flags |= AV_PKT_FLAG_KEY;
        return setup_.writer->write(*packet_, *target_, kMilliseconds);
    }

    Status finish() override { return {}; }

  private:
    TrackSetup setup_;
    std::vector<std::uint8_t> buffer_;
    CodecContext decoder_, encoder_;
    Packet packet_;
    AVStream* target_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<CarriedTrack>> makeTextTrack(const TrackSetup& setup, const std::string& encoderName) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(encoderName.c_str());
    if (!encoder)
        return fail(StatusCode::Unsupported, fmt::format("FFmpeg was built without its encoder {}", encoderName));
    auto track = std::make_unique<TextTrack>(setup);
    RB_TRY(track->open(*encoder));
    return track;
}

}  // namespace reelbrush::media
