#include "engine/media/clip_info_reader.h"

#include "engine/media/colour_defaults.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/packet_scan.h"
#include "engine/media/sample_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <system_error>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

/// Reading a file of this size through takes some hundredths of a second.
constexpr std::int64_t kQuicklyReadBytes = 32 << 20;

struct FrameCount {
    std::int64_t frames = 0;
    bool exact = false;
    /// Distances of neighbouring frames in ticks; 0 where unknown.
    std::int64_t shortestStep = 0, longestStep = 0;
};

bool isMov(const AVFormatContext& container) {
    return std::string_view(container.iformat->name).find("mp4") != std::string_view::npos;
}

/// MP4 and MOV list every packet, with those flagged that an edit list takes out.
FrameCount countIndex(AVStream& stream) {
    FrameCount count;
    std::int64_t previous = AV_NOPTS_VALUE;
    for (int i = 0; i < avformat_index_get_entries_count(&stream); ++i) {
        const AVIndexEntry* entry = avformat_index_get_entry(&stream, i);
        if (entry->flags & AVINDEX_DISCARD_FRAME) continue;
        ++count.frames;
        if (previous != AV_NOPTS_VALUE) {
            const std::int64_t step = entry->timestamp - previous;
            count.shortestStep = count.frames == 2 ? step : std::min(count.shortestStep, step);
            count.longestStep = std::max(count.longestStep, step);
        }
        previous = entry->timestamp;
    }
    count.exact = true;
    return count;
}

Result<FrameCount> countFrames(FrameDecoder& decoder, std::int64_t sizeBytes, Rational duration) {
    const Demuxer& demuxer = decoder.demuxer();
    AVStream& stream = demuxer.video();
    if (demuxer.isPictureFile()) return FrameCount{1, true, 0, 0};
    if (isMov(demuxer.container()) && stream.nb_frames > 0) return countIndex(stream);
    if (sizeBytes <= kQuicklyReadBytes) {
        RB_ASSIGN(const PacketCount packets, countPackets(demuxer.file()));
        // A field, or a VP8 reference frame that is never shown, may have a packet of its own.
        const bool exact =
            stream.codecpar->codec_id != AV_CODEC_ID_VP8 && stream.codecpar->field_order <= AV_FIELD_PROGRESSIVE;
        return FrameCount{packets.frames, exact, packets.shortestStep, packets.longestStep};
    }
    if (stream.nb_frames > 0) return FrameCount{stream.nb_frames, true, 0, 0};
    const double seconds = duration.toDouble();
    return FrameCount{std::llround(seconds * av_q2d(stream.avg_frame_rate)), false, 0, 0};
}

bool isKnownRate(AVRational rate) {
    return rate.num > 0 && rate.den > 0;
}

void fillRates(VideoStreamInfo& video, const AVStream& stream, const FrameCount& count) {
    const AVRational average = stream.avg_frame_rate, tagged = stream.r_frame_rate;
    video.averageRate = isKnownRate(average)  ? fromAv(average)
                        : isKnownRate(tagged) ? fromAv(tagged)
                                              : Rational::unknown();
    video.nominalRate = isKnownRate(tagged) ? fromAv(tagged) : video.averageRate;
    const double ratio = isKnownRate(average) && isKnownRate(tagged) ? av_q2d(tagged) / av_q2d(average) : 1;
    const bool close = std::abs(ratio - 1) < 0.01;
    if (count.longestStep > 0) {
        // Ticks that a frame's length is no multiple of make steps differ by one.
        video.variableRate = count.longestStep - count.shortestStep > 1;
    } else {
        const bool fieldRate = std::abs(ratio - 2) < 0.02;
        video.variableRate = !close && !fieldRate;
    }
    if (video.variableRate) return;
    // Of two nearly equal rates the tagged one is the exact one; a very different one counts ticks or fields.
    if (close) {
        video.averageRate = video.nominalRate;
    } else {
        video.nominalRate = video.averageRate;
    }
}

/// Matroska's muxers note each stream's end as text, "00:00:02.040000000".
Rational matroskaDuration(const AVStream& stream) {
    const AVDictionaryEntry* entry = av_dict_get(stream.metadata, "DURATION", nullptr, AV_DICT_IGNORE_SUFFIX);
    int hours = 0, minutes = 0, seconds = 0, nanoseconds = 0;
    if (!entry || std::sscanf(entry->value, "%d:%d:%d.%9d", &hours, &minutes, &seconds, &nanoseconds) != 4)
        return Rational::unknown();
    return Rational(hours) * 3600 + Rational(minutes) * 60 + Rational(seconds) + Rational(nanoseconds, 1'000'000'000);
}

Rational containerDuration(const AVFormatContext& container) {
    return container.duration > 0 ? Rational(container.duration, AV_TIME_BASE) : Rational::unknown();
}

Rational streamDuration(const AVStream& stream, const AVFormatContext& container) {
    if (stream.duration > 0) return fromTicks(stream.duration, stream.time_base);
    const Rational noted = matroskaDuration(stream);
    return noted.isKnown() && noted > Rational(0) ? noted : containerDuration(container);
}

void fillFormat(VideoStreamInfo& video, const AVFrame& frame, const AVStream& stream) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
    video.index = stream.index;
    video.codec = avcodec_get_name(stream.codecpar->codec_id);
    video.pixelFormat = descriptor ? descriptor->name : "";
    video.codedWidth = frame.width;
    video.codedHeight = frame.height;
    video.bitsPerComponent = descriptor ? descriptor->comp[0].depth : 8;
    video.hasAlpha = descriptor && carriesAlpha(frame);
    video.interlaced = frame.interlaced_frame != 0 || stream.codecpar->field_order > AV_FIELD_PROGRESSIVE;
}

void fillColour(VideoStreamInfo& video, const AVFrame& frame) {
    video.colour.primaries = frame.color_primaries;
    video.colour.transfer = frame.color_trc;
    video.colour.matrix = frame.colorspace;
    video.colour.rangeKnown = frame.color_range != AVCOL_RANGE_UNSPECIFIED;
    video.colour.fullRange = frame.color_range == AVCOL_RANGE_JPEG;
    video.colour.chromaLocation = frame.chroma_location;
    // What is delivered counts: high-range pictures arrive with the sRGB curve on.
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    if (format && (format->flags & AV_PIX_FMT_FLAG_FLOAT)) video.colour.transfer = AVCOL_TRC_IEC61966_2_1;
    const ColourTags resolved = resolvedColour(video);
    video.colour.fullRange = resolved.fullRange;
    if (resolved.matrix == AVCOL_SPC_RGB) video.colour.matrix = AVCOL_SPC_RGB;
}

OtherStreamInfo describeOther(const AVStream& stream) {
    OtherStreamInfo other;
    const AVCodecParameters& parameters = *stream.codecpar;
    const char* kind = av_get_media_type_string(parameters.codec_type);
    other.index = stream.index;
    other.kind = kind ? kind : "data";
    other.codec = avcodec_get_name(parameters.codec_id);
    if (const AVDictionaryEntry* language = av_dict_get(stream.metadata, "language", nullptr, 0))
        other.language = language->value;
    other.sampleRate = parameters.sample_rate;
    other.channels = parameters.ch_layout.nb_channels;
    other.startTime = fromTicks(stream.start_time, stream.time_base);
    other.duration = fromTicks(stream.duration, stream.time_base);
    if (!other.duration.isKnown()) other.duration = matroskaDuration(stream);
    return other;
}

void makePicture(ClipInfo& info) {
    info.isPicture = true;
    info.video.startTime = Rational(0);
    info.video.averageRate = info.video.nominalRate = Rational::unknown();
    info.video.duration = info.duration = Rational::unknown();
    info.video.variableRate = false;
}

}  // namespace

Result<FileDescription> describeFile(FrameDecoder& decoder) {
    const DecodedFrame* first = decoder.peek();
    RB_ENSURE(first, "a clip without a first frame is described");
    const AVFormatContext& container = decoder.demuxer().container();
    const AVStream& stream = decoder.demuxer().video();
    const AVFrame& frame = *first->picture;

    FileDescription description;
    ClipInfo& info = description.info;
    VideoStreamInfo& video = info.video;
    std::error_code error;
    const auto sizeBytes = std::filesystem::file_size(decoder.demuxer().file(), error);
    info.sizeBytes = error ? 0 : static_cast<std::int64_t>(sizeBytes);
    info.container = container.iformat->name;
    info.duration = containerDuration(container);
    fillFormat(video, frame, stream);
    fillColour(video, frame);

    description.orientation = orientationOf(frame, stream);
    video.rotationDegrees = description.orientation.clockwiseDegrees;
    video.mirrored = description.orientation.mirrored;
    video.width = frame.width;
    video.height = frame.height;
    const AVRational aspect =
        av_guess_sample_aspect_ratio(&decoder.demuxer().container(), &decoder.demuxer().video(), first->picture.get());
    video.pixelAspect = aspect.num > 0 && aspect.den > 0 ? fromAv(aspect) : Rational(1);
    if (description.orientation.swapsSides()) {
        std::swap(video.width, video.height);
        video.pixelAspect = Rational(1) / video.pixelAspect;
    }

    video.timeBase = fromAv(stream.time_base);
    video.startTime = first->time;
    video.duration = streamDuration(stream, container);
    RB_ASSIGN(const FrameCount count, countFrames(decoder, info.sizeBytes, video.duration));
    video.frameCount = std::max<std::int64_t>(count.frames, 1);
    video.frameCountExact = count.exact;
    fillRates(video, stream, count);
    const bool isStillAnimation = count.frames == 1 && (info.container == "gif" || info.container == "apng");
    if (decoder.demuxer().isPictureFile() || isStillAnimation) makePicture(info);

    for (unsigned i = 0; i < container.nb_streams; ++i)
        if (container.streams[i] != &stream) info.others.push_back(describeOther(*container.streams[i]));
    return description;
}

}  // namespace reelbrush::media
