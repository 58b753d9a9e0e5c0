#include "engine/media/carried_track.h"
#include "engine/media/ffmpeg_error.h"

extern "C" {
#include <libavutil/intreadwrite.h>
}

namespace reelbrush::media {

namespace {

class CopyTrack final : public CarriedTrack {
  public:
    CopyTrack(const TrackSetup& setup, AVStream* target)
        : setup_(setup),
          target_(target),
          timeBase_(setup.source->time_base),
          shift_(toTicks(setup.span.origin, timeBase_)) {}

    Status take(AVPacket& packet) override {
        if (packet.pts == AV_NOPTS_VALUE) packet.pts = packet.dts;
        if (packet.dts == AV_NOPTS_VALUE) packet.dts = packet.pts;
        if (packet.pts != AV_NOPTS_VALUE && !inSpan(packet)) return {};
        if (packet.pts != AV_NOPTS_VALUE) {
            packet.pts -= shift_;
            packet.dts -= shift_;
            if (isSubtitle() && packet.pts < 0 && setup_.span.start.isKnown()) cutStart(packet);
        }
        AVRational timeBase = timeBase_;
        if (isSound() && packet.dts != AV_NOPTS_VALUE) {
            countInSamples(packet);
            timeBase = target_->time_base;
            if (setup_.writer->isMatroska()) packet.pts = packet.dts += codecDelay();
        }
        return setup_.writer->write(packet, *target_, timeBase);
    }

    Status finish() override { return {}; }

  private:
    bool isSound() const { return target_->codecpar->codec_type == AVMEDIA_TYPE_AUDIO; }
    bool isSubtitle() const { return target_->codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE; }

    bool inSpan(const AVPacket& packet) const {
        const Rational begin = fromTicks(packet.pts, timeBase_);
        const Rational end = begin + fromTicks(packet.duration, timeBase_);
        const CarriedSpan& span = setup_.span;
        if (span.end.isKnown() && begin >= span.end) return false;
        if (!span.start.isKnown()) return true;
        // Only MP4's edit lists can cut into a packet; elsewhere it would start before the picture.
        const bool mayOverlap = setup_.writer->isMov() || isSubtitle();
        return mayOverlap ? end > span.start : begin >= span.start;
    }

    static void cutStart(AVPacket& packet) {
        packet.duration += packet.pts;
        packet.pts = packet.dts = 0;
    }

    /// Milliseconds, which some containers count in, are too coarse for MP4's sample counts: the packets' own lengths
    /// restore what the rounding lost.
    void countInSamples(AVPacket& packet) {
        const AVCodecParameters* sound = target_->codecpar;
        int samples = av_get_audio_frame_duration2(setup_.source->codecpar, packet.size);
        if (samples == 0) samples = sound->frame_size;
        const AVRational sampleTime{1, sound->sample_rate};
        packet.pts = packet.dts =
            av_rescale_delta(timeBase_, packet.dts, sampleTime, samples, &lastSample_, target_->time_base);
        // The last packet may count for less than it holds; all others come out even, whatever they were rounded to.
        const std::int64_t told = av_rescale_q(packet.duration, timeBase_, target_->time_base);
        const std::int64_t held = av_rescale_q(samples, sampleTime, target_->time_base);
        const std::int64_t rounding = av_rescale_q_rnd(1, timeBase_, target_->time_base, AV_ROUND_UP);
        packet.duration = held > 0 && (told <= 0 || told + rounding >= held) ? held : told;
    }

    /// Matroska counts a sound's run-in as part of its time and says apart how long it is.
    std::int64_t codecDelay() const {
        const AVCodecParameters* sound = target_->codecpar;
        return av_rescale_q(sound->initial_padding, AVRational{1, sound->sample_rate}, target_->time_base);
    }

    TrackSetup setup_;
    AVStream* target_;
    AVRational timeBase_;
    std::int64_t shift_;
    std::int64_t lastSample_ = AV_NOPTS_VALUE;
};

}  // namespace

Result<std::unique_ptr<CarriedTrack>> makeCopyTrack(const TrackSetup& setup) {
    const AVCodecParameters* source = setup.source->codecpar;
    const bool sound = source->codec_type == AVMEDIA_TYPE_AUDIO && source->sample_rate > 0;
    AVStream* target = setup.writer->addStream(sound ? AVRational{1, source->sample_rate} : setup.source->time_base);
    if (!target || avcodec_parameters_copy(target->codecpar, source) < 0) {
        return fail(StatusCode::OutOfMemory, "not enough memory to copy a stream");
    }
    target->codecpar->codec_tag = 0;  // each container has its own
    carryDescription(setup, *target, false);
    return std::make_unique<CopyTrack>(setup, target);
}

}  // namespace reelbrush::media
