#include "engine/media/source_tracks.h"

#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace reelbrush::media {

namespace {

/// Seeking lands on the pictures' key frames; sound that belongs to the same moment may lie a little before.
constexpr std::int64_t kSeekMarginUs = 1'000'000;

/// How far apart a file may store streams that belong together.
constexpr std::int64_t kInterleavingSeconds = 10;

bool mayCarry(const AVStream& stream) {
    switch (stream.codecpar->codec_type) {
        case AVMEDIA_TYPE_AUDIO:
        case AVMEDIA_TYPE_SUBTITLE:
        case AVMEDIA_TYPE_ATTACHMENT:
            return true;
        default:
            return false;
    }
}

/// Facts about the old file, not about the film.
bool isAboutTheFile(std::string_view key) {
    return key == "encoder" || key == "ENCODER" || key == "major_brand" || key == "minor_version" ||
           key == "compatible_brands" || key == "DURATION";
}

void carryMetadata(const AVDictionary* source, AVDictionary** target) {
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(source, "", entry, AV_DICT_IGNORE_SUFFIX))) {
        if (!isAboutTheFile(entry->key)) av_dict_set(target, entry->key, entry->value, 0);
    }
}

}  // namespace

Rational clockOrigin(const AVFormatContext& input) {
    if ((input.iformat->flags & AVFMT_TS_DISCONT) == 0) return Rational(0);
    Rational earliest = Rational::unknown();
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        const AVStream& stream = *input.streams[i];
        if (!mayCarry(stream) && stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
        const Rational start = fromTicks(stream.start_time, stream.time_base);
        if (start.isKnown() && (!earliest.isKnown() || start < earliest)) earliest = start;
    }
    return earliest.isKnown() ? earliest : Rational(0);
}

Result<std::unique_ptr<SourceTracks>> SourceTracks::open(const std::filesystem::path& clip, const CarriedSpan& span,
                                                         const Container& container, ClipWriter& writer,
                                                         std::vector<std::string>& notes) {
    std::unique_ptr<SourceTracks> tracks(new SourceTracks());
    AVFormatContext* input = nullptr;
    int code = avformat_open_input(&input, fileUrl(clip).c_str(), nullptr, nullptr);
    if (code < 0) return ffmpegFailure(code, fmt::format("cannot read the sound of {}", quoted(clip)));
    tracks->input_.reset(input);
    code = avformat_find_stream_info(input, nullptr);
    if (code < 0) return ffmpegFailure(code, fmt::format("cannot read the sound of {}", quoted(clip)));
    tracks->packet_.reset(av_packet_alloc());
    if (!tracks->packet_) return fail(StatusCode::OutOfMemory, "not enough memory to copy sound");

    tracks->span_ = span;
    if (!span.start.isKnown() && span.origin == Rational(0)) tracks->span_.origin = clockOrigin(*input);
    tracks->tracks_.resize(input->nb_streams);
    bool otherData = false;
    for (unsigned i = 0; i < input->nb_streams; ++i) {
        AVStream& stream = *input->streams[i];
        if (mayCarry(stream)) {
            const TrackSetup setup{&stream, &writer, &container, tracks->span_};
            RB_ASSIGN(tracks->tracks_[i], makeCarriedTrack(setup, notes));
        }
        if (!tracks->tracks_[i]) stream.discard = AVDISCARD_ALL;
        // Chapters travel as such, though MP4 also stores them as a data stream.
        otherData = otherData || (stream.codecpar->codec_type == AVMEDIA_TYPE_DATA && input->nb_chapters == 0);
    }
    if (otherData) notes.emplace_back("data streams (timecode, telemetry) left out");
    carryMetadata(input->metadata, &writer.context().metadata);
    tracks->addChapters(writer);
    if (span.start.isKnown()) {
        const std::int64_t target = toTicks(span.start, AVRational{1, AV_TIME_BASE}) - kSeekMarginUs;
        // Where seeking fails, reading from the beginning gives the same, later.
        if (target > 0) avformat_seek_file(input, -1, INT64_MIN, target, target, 0);
    }
    return tracks;
}

void SourceTracks::addChapters(ClipWriter& writer) {
    AVFormatContext& output = writer.context();
    for (unsigned i = 0; i < input_->nb_chapters; ++i) {
        const AVChapter& source = *input_->chapters[i];
        Rational begin = fromTicks(source.start, source.time_base), end = fromTicks(source.end, source.time_base);
        if (span_.start.isKnown()) begin = std::max(begin, span_.start);
        if (span_.end.isKnown()) end = std::min(end, span_.end);
        if (begin >= end) continue;
        auto* chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
        auto** grown =
            static_cast<AVChapter**>(av_realloc_array(output.chapters, output.nb_chapters + 1, sizeof(AVChapter*)));
        if (!chapter || !grown) {
            av_free(chapter);
            return;
        }
        chapter->id = source.id;
        chapter->time_base = source.time_base;
        chapter->start = toTicks(begin - span_.origin, source.time_base);
        chapter->end = toTicks(end - span_.origin, source.time_base);
        av_dict_copy(&chapter->metadata, source.metadata, 0);
        output.chapters = grown;
        output.chapters[output.nb_chapters++] = chapter;
    }
}

Status SourceTracks::take(AVPacket& packet) {
    const auto index = static_cast<std::size_t>(packet.stream_index);
    if (index >= tracks_.size() || !tracks_[index]) return {};
    const AVRational timeBase = input_->streams[packet.stream_index]->time_base;
    const Rational time = fromTicks(packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts, timeBase);
    if (time.isKnown() && (!reached_.isKnown() || time > reached_)) reached_ = time;
    return tracks_[index]->take(packet);
}

Status SourceTracks::carryUntil(Rational time) {
    const bool anything =
        std::any_of(tracks_.begin(), tracks_.end(), [](const auto& track) { return track != nullptr; });
    while (anything && !ended_ && (!reached_.isKnown() || reached_ < time)) {
        const int code = av_read_frame(input_.get(), packet_.get());
        // A file cut short carries what it has: the picture ends there too.
        if (code < 0) {
            ended_ = true;
            break;
        }
        const Status taken = take(*packet_);
        av_packet_unref(packet_.get());
        RB_TRY(taken);
        if (span_.end.isKnown() && reached_.isKnown() && reached_ > span_.end + Rational(kInterleavingSeconds))
            ended_ = true;
    }
    return {};
}

Status SourceTracks::finish() {
    RB_TRY(carryUntil(Rational(std::numeric_limits<std::int64_t>::max())));
    for (const auto& track : tracks_) {
        if (track) RB_TRY(track->finish());
    }
    return {};
}

}  // namespace reelbrush::media
