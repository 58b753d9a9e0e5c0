#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/verb.h"
#include "engine/media/frame_source.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace reelbrush::cli {

namespace {

using media::ClipInfo;
using media::ColourTags;
using media::OtherStreamInfo;
using media::VideoStreamInfo;

/// Seconds as people read them; fractions stay exact in the JSON.
std::string secondsText(const Rational& time) {
    return time.isKnown() ? fmt::format("{:.3f} s", time.toDouble()) : std::string("unknown");
}

std::string rateText(const Rational& rate) {
    if (!rate.isKnown()) return "unknown";
    return rate.den == 1 ? fmt::format("{} fps", rate.num)
                         : fmt::format("{:.3f} fps ({})", rate.toDouble(), rate.toString());
}

Json exactJson(const Rational& value) {
    return value.isKnown() ? Json(value.toString()) : Json(nullptr);
}

std::string colourText(const ColourTags& colour) {
    return fmt::format("primaries {}, transfer {}, matrix {} (numbers of ITU-T H.273; 2: not told), {} range{}{}",
                       colour.primaries, colour.transfer, colour.matrix, colour.fullRange ? "full" : "limited",
                       colour.rangeKnown ? "" : " (assumed)", colour.isHdr() ? ", HDR" : "");
}

std::string turnText(const VideoStreamInfo& video) {
    if (video.rotationDegrees == 0 && !video.mirrored) return "none";
    return fmt::format("{} degrees clockwise{}", video.rotationDegrees, video.mirrored ? ", mirrored" : "");
}

void printVideo(const VideoStreamInfo& video) {
    printLine(fmt::format("  video      stream {}: {}, {}, {} bits{}", video.index, video.codec, video.pixelFormat,
                          video.bitsPerComponent, video.hasAlpha ? ", with alpha" : ""));
    printLine(fmt::format("  size       {}x{} as shown, {}x{} as stored, pixel aspect {}", video.width, video.height,
                          video.codedWidth, video.codedHeight, video.pixelAspect.toString()));
    printLine("  rotation   " + turnText(video));
    printLine(fmt::format("  rate       {}{}{}", rateText(video.averageRate), video.variableRate ? ", variable" : "",
                          video.interlaced ? ", interlaced" : ""));
    printLine(fmt::format("  frames     {}{}", video.frameCount, video.frameCountExact ? "" : " (estimated)"));
    printLine(
        fmt::format("  duration   {}, first frame at {}", secondsText(video.duration), secondsText(video.startTime)));
    printLine("  colour     " + colourText(video.colour));
}

void printOther(const OtherStreamInfo& other) {
    std::string line = fmt::format("  {:<10} stream {}: {}", other.kind, other.index, other.codec);
    if (other.sampleRate > 0)
        line += fmt::format(", {} Hz, {} channel{}", other.sampleRate, other.channels, other.channels == 1 ? "" : "s");
    if (!other.language.empty()) line += ", " + other.language;
    if (other.duration.isKnown()) line += ", " + secondsText(other.duration);
    printLine(line);
}

Json videoJson(const VideoStreamInfo& video) {
    const ColourTags& colour = video.colour;
    return {{"index", video.index},
            {"codec", video.codec},
            {"pixelFormat", video.pixelFormat},
            {"bitsPerComponent", video.bitsPerComponent},
            {"alpha", video.hasAlpha},
            {"width", video.width},
            {"height", video.height},
            {"codedWidth", video.codedWidth},
            {"codedHeight", video.codedHeight},
            {"pixelAspect", exactJson(video.pixelAspect)},
            {"rotationDegrees", video.rotationDegrees},
            {"mirrored", video.mirrored},
            {"interlaced", video.interlaced},
            {"averageRate", exactJson(video.averageRate)},
            {"nominalRate", exactJson(video.nominalRate)},
            {"variableRate", video.variableRate},
            {"timeBase", exactJson(video.timeBase)},
            {"startTime", exactJson(video.startTime)},
            {"duration", exactJson(video.duration)},
            {"frames", video.frameCount},
            {"framesExact", video.frameCountExact},
            {"colour",
             {{"primaries", colour.primaries},
              {"transfer", colour.transfer},
              {"matrix", colour.matrix},
              {"fullRange", colour.fullRange},
              {"rangeKnown", colour.rangeKnown},
              {"chromaLocation", colour.chromaLocation},
              {"hdr", colour.isHdr()}}}};
}

Json clipJson(const std::string& path, const ClipInfo& clip) {
    Json others = Json::array();
    for (const OtherStreamInfo& other : clip.others)
        others.push_back({{"index", other.index},
                          {"kind", other.kind},
                          {"codec", other.codec},
                          {"language", other.language},
                          {"sampleRate", other.sampleRate},
                          {"channels", other.channels},
                          {"startTime", exactJson(other.startTime)},
                          {"duration", exactJson(other.duration)}});
    return {{"path", path},
            {"container", clip.container},
            {"kind", clip.isPicture    ? "picture"
                     : clip.isSequence ? "sequence"
                                       : "video"},
            {"sizeBytes", clip.sizeBytes},
            {"duration", exactJson(clip.duration)},
            {"video", videoJson(clip.video)},
            {"streams", others}};
}

int inspect(const std::string& path, bool json) {
    const auto clip = media::inspectClip(path);
    if (!clip) return failWith(clip.error());
    if (json) {
        printJson(clipJson(path, *clip));
        return kDone;
    }
    printLine(fmt::format("{}: {} ({}), {}", path,
                          clip->isPicture    ? "picture"
                          : clip->isSequence ? "sequence"
                                             : "video",
                          clip->container, bytesText(static_cast<double>(clip->sizeBytes))));
    printVideo(clip->video);
    for (const OtherStreamInfo& other : clip->others) printOther(other);
    return kDone;
}

}  // namespace

void addInspectVerb(CLI::App& program, Action& action) {
    struct Arguments {
        std::string path;
        bool json = false;
    };
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* verb =
        program.add_subcommand("inspect", "tell what a clip holds: streams, rates, colour, rotation, duration");
    verb->add_option("CLIP", arguments->path, "a video, a picture or a picture sequence")->required();
    verb->add_flag("--json", arguments->json, "print it as JSON; times and rates are exact fractions of seconds");
    verb->callback([arguments, &action] {
        action = [arguments](InterruptWatch&) { return inspect(arguments->path, arguments->json); };
    });
}

}  // namespace reelbrush::cli
