#include "engine/media/carried_track.h"

#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace reelbrush::media {

namespace {

/// What FFmpeg lets into MP4 and QuickTime is more than players there can play, or needs flags that call it
/// experimental.
constexpr std::array kMp4Sound{AV_CODEC_ID_AAC,  AV_CODEC_ID_MP3,  AV_CODEC_ID_MP2,  AV_CODEC_ID_AC3,
                               AV_CODEC_ID_EAC3, AV_CODEC_ID_OPUS, AV_CODEC_ID_ALAC, AV_CODEC_ID_FLAC};
constexpr std::array kMovSound{AV_CODEC_ID_AAC, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_ALAC};
/// AVI has no times for sound: only what counts itself out stays in step.
constexpr std::array kAviSound{AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_U8,
                               AV_CODEC_ID_PCM_S24LE};

/// FFmpeg's QuickTime writer knows languages by one name each, not always the one of ISO 639-2/T that files carry.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kQuickTimeLanguages{{{"deu", "ger"},
                                                                                             {"fre", "fra"},
                                                                                             {"nld", "dut"},
                                                                                             {"zho", "chi"},
                                                                                             {"ell", "gre"},
                                                                                             {"isl", "ice"},
                                                                                             {"swe", "sve"},
                                                                                             {"sqi", "alb"},
                                                                                             {"rum", "ron"},
                                                                                             {"cze", "ces"},
                                                                                             {"slo", "slk"},
                                                                                             {"mkd", "mac"},
                                                                                             {"hye", "arm"},
                                                                                             {"kat", "geo"},
                                                                                             {"cym", "wel"},
                                                                                             {"eus", "baq"}}};

bool isPcm(AVCodecID codec) {
    return codec >= AV_CODEC_ID_PCM_S16LE && codec < AV_CODEC_ID_ADPCM_IMA_QT;
}

template <typename List>
bool contains(const List& list, AVCodecID codec) {
    return std::find(list.begin(), list.end(), codec) != list.end();
}

bool canCopySound(const Container& container, AVCodecID codec) {
    if (container.muxer == "mp4" && !contains(kMp4Sound, codec)) return false;
    if (container.muxer == "mov" && !contains(kMovSound, codec) && !isPcm(codec)) return false;
    if (container.muxer == "avi" && !contains(kAviSound, codec)) return false;
    const AVOutputFormat* muxer = av_guess_format(std::string(container.muxer).c_str(), nullptr, nullptr);
    return muxer && avformat_query_codec(muxer, codec, FF_COMPLIANCE_NORMAL) == 1;
}

bool canCopySubtitles(const Container& container, AVCodecID codec) {
    if (container.muxer == "matroska") return codec != AV_CODEC_ID_MOV_TEXT;
    if (container.muxer == "webm") return codec == AV_CODEC_ID_WEBVTT;
    return codec == AV_CODEC_ID_MOV_TEXT && container.textSubtitles == "mov_text";
}

bool isText(AVCodecID codec) {
    const AVCodecDescriptor* description = avcodec_descriptor_get(codec);
    return description && (description->props & AV_CODEC_PROP_TEXT_SUB) != 0;
}

std::string titleOf(const std::string& encoder) {
    if (encoder == "aac") return "AAC";
    if (encoder == "libopus") return "Opus";
    if (encoder == "flac") return "FLAC";
    return encoder == "pcm_s16le" ? "PCM" : encoder;
}

Result<std::unique_ptr<CarriedTrack>> soundTrack(const TrackSetup& setup, std::vector<std::string>& notes) {
    const AVCodecID codec = setup.source->codecpar->codec_id;
    if (canCopySound(*setup.container, codec)) return makeCopyTrack(setup);
    const std::string encoder(setup.container->audioFallback);
    if (encoder.empty()) {
        notes.push_back(fmt::format("sound left out: {} files hold none", setup.container->title));
        return nullptr;
    }
    auto track = makeSoundTrack(setup, encoder);
    if (!track) {
        // A film without one of its sounds is worth more than no film.
        notes.push_back(fmt::format("sound left out: {}", track.error().message));
        return nullptr;
    }
    notes.push_back(fmt::format("sound re-encoded from {} to {}: {} files cannot hold it as it was",
                                avcodec_get_name(codec), titleOf(encoder), setup.container->title));
    return track;
}

Result<std::unique_ptr<CarriedTrack>> subtitleTrack(const TrackSetup& setup, std::vector<std::string>& notes) {
    const AVCodecID codec = setup.source->codecpar->codec_id;
    if (canCopySubtitles(*setup.container, codec)) return makeCopyTrack(setup);
    const std::string encoder(setup.container->textSubtitles);
    if (!encoder.empty() && isText(codec)) {
        if (auto track = makeTextTrack(setup, encoder)) return track;
    }
    notes.push_back(
        fmt::format("subtitles left out: {} files cannot hold {}", setup.container->title, avcodec_get_name(codec)));
    return nullptr;
}

}  // namespace

Result<std::unique_ptr<CarriedTrack>> makeCarriedTrack(const TrackSetup& setup, std::vector<std::string>& notes) {
    switch (setup.source->codecpar->codec_type) {
        case AVMEDIA_TYPE_AUDIO:
            return soundTrack(setup, notes);
        case AVMEDIA_TYPE_SUBTITLE:
            return subtitleTrack(setup, notes);
        case AVMEDIA_TYPE_ATTACHMENT:
            if (setup.container->muxer == "matroska") return makeCopyTrack(setup);
            return nullptr;
        default:
            return nullptr;
    }
}

void carryDescription(const TrackSetup& setup, AVStream& target, bool reencoded) {
    const AVStream& source = *setup.source;
    target.disposition = source.disposition;
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(source.metadata, "", entry, AV_DICT_IGNORE_SUFFIX))) {
        const std::string_view key = entry->key;
        // Matroska's counts of the old stream, which the new one may not have.
        const bool statistics = key.starts_with("BPS") || key.starts_with("DURATION") ||
                                key.starts_with("NUMBER_OF_") || key.starts_with("_STATISTICS");
        const bool encoder = reencoded && (key == "encoder" || key == "ENCODER");
        if (!statistics && !encoder) av_dict_set(&target.metadata, entry->key, entry->value, 0);
    }
    const AVDictionaryEntry* language = av_dict_get(target.metadata, "language", nullptr, 0);
    if (!language || setup.container->muxer != "mov") return;
    for (const auto& [iso, quickTime] : kQuickTimeLanguages) {
        if (iso == language->value) {
            av_dict_set(&target.metadata, "language", std::string(quickTime).c_str(), 0);
            return;
        }
    }
}

std::int64_t toTicks(Rational seconds, AVRational timeBase) {
    const Rational ticks = seconds / fromAv(timeBase) + Rational(1, 2);
    const std::int64_t quotient = ticks.num / ticks.den;
    return ticks.num % ticks.den < 0 ? quotient - 1 : quotient;
}

}  // namespace reelbrush::media
