#include "engine/media/packet_scan.h"

#include "engine/media/demuxer.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace reelbrush::media {

namespace {

/// Codecs of which one packet gives one frame, and whose keyframes need nothing that came before them.
bool keyframesAreExact(const AVCodecParameters& parameters) {
    if (parameters.field_order > AV_FIELD_PROGRESSIVE) return false;
    const AVCodecDescriptor* codec = avcodec_descriptor_get(parameters.codec_id);
    if (codec && (codec->props & AV_CODEC_PROP_INTRA_ONLY)) return true;
    switch (parameters.codec_id) {
        case AV_CODEC_ID_H264:
        case AV_CODEC_ID_HEVC:
        case AV_CODEC_ID_VP9:
        case AV_CODEC_ID_AV1:
            return true;
        default:
            return false;
    }
}

/// A keyframe under way: how many frames precede it is known once the packets up to the next keyframe were seen, since
/// frames that lead it in presentation follow it in the stream.
struct Candidate {
    std::int64_t pts = 0, packetsBefore = 0, leading = 0;
    std::int64_t index() const { return packetsBefore + leading; }
};

}  // namespace

Result<PacketCount> countPackets(const std::filesystem::path& file) {
    RB_ASSIGN(const std::unique_ptr<Demuxer> demuxer, Demuxer::open(file));
    const Packet packet(av_packet_alloc());
    PacketCount count;
    std::vector<std::int64_t> times;
    while (demuxer->read(*packet) == Demuxer::Read::Whole) {
        if (packet->flags & AV_PKT_FLAG_DISCARD) continue;
        ++count.frames;
        if (packet->pts != AV_NOPTS_VALUE) times.push_back(packet->pts);
    }
    if (std::ssize(times) != count.frames || count.frames < 2) return count;
    std::sort(times.begin(), times.end());
    count.shortestStep = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 1; i < times.size(); ++i) {
        count.shortestStep = std::min(count.shortestStep, times[i] - times[i - 1]);
        count.longestStep = std::max(count.longestStep, times[i] - times[i - 1]);
    }
    return count;
}

Result<std::optional<SeekPoint>> findSeekPoint(const std::filesystem::path& file, std::int64_t index) {
    RB_ASSIGN(const std::unique_ptr<Demuxer> demuxer, Demuxer::open(file));
    std::optional<SeekPoint> best;
    if (!keyframesAreExact(*demuxer->video().codecpar)) return best;

    const Packet packet(av_packet_alloc());
    std::optional<Candidate> candidate;
    std::int64_t packets = 0;
    bool candidateIsFirst = true;
    while (demuxer->read(*packet) == Demuxer::Read::Whole) {
        const bool isKey = (packet->flags & AV_PKT_FLAG_KEY) != 0;
        if (packet->pts == AV_NOPTS_VALUE || (!candidate && !isKey)) return std::nullopt;
        if (packet->flags & AV_PKT_FLAG_DISCARD) {
            if (!candidate) candidate = Candidate{packet->pts, 0, 0};
            continue;
        }
        if (isKey) {
            if (candidate && candidate->index() > index) break;
            if (candidate && !candidateIsFirst) best = SeekPoint{candidate->pts, candidate->index()};
            candidateIsFirst = !candidate;
            candidate = Candidate{packet->pts, packets, 0};
        } else if (packet->pts < candidate->pts) {
            ++candidate->leading;
            if (candidateIsFirst) return std::nullopt;
        }
        ++packets;
    }
    if (candidate && !candidateIsFirst && candidate->index() <= index)
        best = SeekPoint{candidate->pts, candidate->index()};
    return best;
}

}  // namespace reelbrush::media
