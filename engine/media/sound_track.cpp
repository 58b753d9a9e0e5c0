#include "engine/media/carried_track.h"
#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/channel_layout.h>
}

namespace reelbrush::media {

namespace {

constexpr int kOpusRate = 48000;
constexpr int kMostChannels = 8;
/// Bits per second and channel: transparent for nearly everything.
constexpr int kAacBitRate = 96000;
constexpr int kOpusBitRate = 72000;

std::string nameOf(const AVChannelLayout& layout) {
    std::array<char, 128> text{};
    av_channel_layout_describe(&layout, text.data(), text.size());
    return text.data();
}

/// The nearest rate that the encoder takes.
int rateFor(const AVCodec& codec, int wanted) {
    if (codec.id == AV_CODEC_ID_OPUS) return kOpusRate;
    if (!codec.supported_samplerates) return wanted;
    int best = codec.supported_samplerates[0];
    for (const int* rate = codec.supported_samplerates; *rate != 0; ++rate) {
        if (std::abs(*rate - wanted) < std::abs(best - wanted)) best = *rate;
    }
    return best;
}

/// Decoder, sample converter (libswresample inside libavfilter, which also cuts to the span, fills gaps and makes
/// frames of the encoder's size) and encoder of one sound.
class SoundTrack final : public CarriedTrack {
  public:
    explicit SoundTrack(const TrackSetup& setup) : setup_(setup) {}

    Status open(const AVCodec& encoder) {
        const char* what = "cannot re-encode sound";
        const AVCodecParameters* source = setup_.source->codecpar;
        const AVCodec* decoder = avcodec_find_decoder(source->codec_id);
        if (!decoder)
            return fail(StatusCode::Unsupported, fmt::format("no decoder for {}", avcodec_get_name(source->codec_id)));
        decoder_.reset(avcodec_alloc_context3(decoder));
        encoder_.reset(avcodec_alloc_context3(&encoder));
        frame_.reset(av_frame_alloc());
        packet_.reset(av_packet_alloc());
        if (!decoder_ || !encoder_ || !frame_ || !packet_) return fail(StatusCode::OutOfMemory, what);
        int code = avcodec_parameters_to_context(decoder_.get(), source);
        decoder_->pkt_timebase = setup_.source->time_base;
        decoder_->thread_count = 1;
        if (code >= 0) code = avcodec_open2(decoder_.get(), decoder, nullptr);
        if (code < 0) return ffmpegFailure(code, what);

        const int channels = std::clamp(decoder_->ch_layout.nb_channels, 1, kMostChannels);
        encoder_->sample_rate = rateFor(encoder, decoder_->sample_rate);
        encoder_->sample_fmt = encoder.sample_fmts ? encoder.sample_fmts[0] : decoder_->sample_fmt;
        av_channel_layout_default(&encoder_->ch_layout, channels);
        encoder_->time_base = {1, encoder_->sample_rate};
        encoder_->bit_rate = std::int64_t{channels} * (encoder.id == AV_CODEC_ID_OPUS ? kOpusBitRate : kAacBitRate);
        encoder_->thread_count = 1;
        encoder_->flags |= AV_CODEC_FLAG_BITEXACT;
        if (setup_.writer->wantsGlobalHeader()) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        code = avcodec_open2(encoder_.get(), &encoder, nullptr);
        if (code < 0) return ffmpegFailure(code, what);

        target_ = setup_.writer->addStream(encoder_->time_base);
        if (!target_) return fail(StatusCode::OutOfMemory, what);
        code = avcodec_parameters_from_context(target_->codecpar, encoder_.get());
        if (code < 0) return ffmpegFailure(code, what);
        carryDescription(setup_, *target_, true);
        return {};
    }

    Status take(AVPacket& packet) override {
        const Rational begin = fromTicks(packet.pts, setup_.source->time_base);
        if (begin.isKnown() && setup_.span.end.isKnown() && begin >= setup_.span.end) return {};
        // Damaged packets are gaps, which the converter fills with silence.
        if (avcodec_send_packet(decoder_.get(), &packet) < 0) return {};
        return convert();
    }

    Status finish() override {
        avcodec_send_packet(decoder_.get(), nullptr);
        RB_TRY(convert());
        if (graph_) {
            if (av_buffersrc_add_frame(entry_, nullptr) >= 0) RB_TRY(encode());
        }
        avcodec_send_frame(encoder_.get(), nullptr);
        return write();
    }

  private:
    /// Built at the first frame: only then are layout and format certain.
    Status build() {
        const char* what = "cannot convert sound";
        graph_.reset(avfilter_graph_alloc());
        if (!graph_) return fail(StatusCode::OutOfMemory, what);
        graph_->nb_threads = 1;
        AVChannelLayout& layout = frame_->ch_layout;
        if (layout.order == AV_CHANNEL_ORDER_UNSPEC) av_channel_layout_default(&layout, layout.nb_channels);
        inputLayout_ = nameOf(layout);
        inputFormat_ = frame_->format;
        inputRate_ = frame_->sample_rate;
        const AVRational tick{1, frame_->sample_rate};
        const std::string entryArguments =
            fmt::format("time_base=1/{}:sample_rate={}:sample_fmt={}:channel_layout={}", tick.den, frame_->sample_rate,
                        av_get_sample_fmt_name(static_cast<AVSampleFormat>(frame_->format)), inputLayout_);
        std::string text;
        const CarriedSpan& span = setup_.span;
        if (span.start.isKnown()) text += fmt::format("atrim=start_pts={},", toTicks(span.start, tick));
        if (span.end.isKnown()) text += fmt::format("atrim=end_pts={},", toTicks(span.end, tick));
        text += fmt::format("aresample={}:async=1,aformat=sample_fmts={}:channel_layouts={}", encoder_->sample_rate,
                            av_get_sample_fmt_name(encoder_->sample_fmt), nameOf(encoder_->ch_layout));
        int code = avfilter_graph_create_filter(&entry_, avfilter_get_by_name("abuffer"), "in", entryArguments.c_str(),
                                                nullptr, graph_.get());
        if (code >= 0) {
            code = avfilter_graph_create_filter(&exit_, avfilter_get_by_name("abuffersink"), "out", nullptr, nullptr,
                                                graph_.get());
        }
        if (code < 0) return ffmpegFailure(code, what);
        AVFilterInOut *outputs = avfilter_inout_alloc(), *inputs = avfilter_inout_alloc();
        if (!outputs || !inputs) return fail(StatusCode::OutOfMemory, what);
        outputs->name = av_strdup("in");
        outputs->filter_ctx = entry_;
        inputs->name = av_strdup("out");
        inputs->filter_ctx = exit_;
        code = avfilter_graph_parse_ptr(graph_.get(), text.c_str(), &inputs, &outputs, nullptr);
        avfilter_inout_free(&inputs);
        avfilter_inout_free(&outputs);
        if (code >= 0) code = avfilter_graph_config(graph_.get(), nullptr);
        if (code < 0) return ffmpegFailure(code, what);
        if (encoder_->frame_size > 0) av_buffersink_set_frame_size(exit_, static_cast<unsigned>(encoder_->frame_size));
        return {};
    }

    bool sameInput() const {
        return frame_->format == inputFormat_ && frame_->sample_rate == inputRate_ &&
               (frame_->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC || nameOf(frame_->ch_layout) == inputLayout_);
    }

    Status convert() {
        while (avcodec_receive_frame(decoder_.get(), frame_.get()) >= 0) {
            if (!graph_) RB_TRY(build());
            const AVRational tick{1, frame_->sample_rate};
            if (frame_->pts == AV_NOPTS_VALUE) {
                frame_->pts = nextSample_;
            } else {
                frame_->pts = av_rescale_q(frame_->pts, setup_.source->time_base, tick);
            }
            nextSample_ = frame_->pts + frame_->nb_samples;
            // A stream that changes its layout or rate half-way (broadcasts do): the rest is left silent.
            if (!sameInput() || av_buffersrc_add_frame(entry_, frame_.get()) < 0) {
                av_frame_unref(frame_.get());
                continue;
            }
            RB_TRY(encode());
        }
        return {};
    }

    Status encode() {
        while (av_buffersink_get_frame(exit_, frame_.get()) >= 0) {
            const AVRational filterTick = av_buffersink_get_time_base(exit_);
            frame_->pts = av_rescale_q(frame_->pts, filterTick, encoder_->time_base) -
                          toTicks(setup_.span.origin, encoder_->time_base);
            const int code = avcodec_send_frame(encoder_.get(), frame_.get());
            av_frame_unref(frame_.get());
            if (code < 0) return ffmpegFailure(code, "cannot re-encode sound");
            RB_TRY(write());
        }
        return {};
    }

    Status write() {
        while (avcodec_receive_packet(encoder_.get(), packet_.get()) >= 0) {
            if (setup_.writer->isMatroska()) {
                // Matroska counts a sound's run-in as part of its time and says apart how long it is.
                packet_->pts += target_->codecpar->initial_padding;
                packet_->dts += target_->codecpar->initial_padding;
            }
            RB_TRY(setup_.writer->write(*packet_, *target_, encoder_->time_base));
        }
        return {};
    }

    TrackSetup setup_;
    CodecContext decoder_, encoder_;
    FilterGraph graph_;
    AVFilterContext* entry_ = nullptr;  ///< owned by graph_
    AVFilterContext* exit_ = nullptr;
    Frame frame_;
    Packet packet_;
    AVStream* target_ = nullptr;
    std::string inputLayout_;
    int inputFormat_ = -1, inputRate_ = 0;
    std::int64_t nextSample_ = 0;
};

}  // namespace

Result<std::unique_ptr<CarriedTrack>> makeSoundTrack(const TrackSetup& setup, const std::string& encoderName) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(encoderName.c_str());
    if (!encoder)
        return fail(StatusCode::Unsupported, fmt::format("FFmpeg was built without its encoder {}", encoderName));
    auto track = std::make_unique<SoundTrack>(setup);
    RB_TRY(track->open(*encoder));
    return track;
}

}  // namespace reelbrush::media
