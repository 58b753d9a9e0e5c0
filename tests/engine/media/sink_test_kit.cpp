#include "tests/engine/media/sink_test_kit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace reelbrush::media {

namespace {

namespace fs = std::filesystem;

}  // namespace

ScratchFolder::ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "reelbrush-sink-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::vector<std::string> ScratchFolder::contents() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

bool haveFfmpeg() {
    static const bool kFound =
        std::system("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") == 0;  // NOLINT
    return kFound;
}

std::string inQuotes(const fs::path& path) {
    std::string quoted = "'";
    for (const char c : path.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string shell(const std::string& command) {
    std::string output;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe) return output;
    std::array<char, 65536> buffer{};
    std::size_t count = 0;
    while ((count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) output.append(buffer.data(), count);
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return output;
}

nlohmann::json probe(const fs::path& file) {
    return nlohmann::json::parse(
        shell("ffprobe -v error -of json -count_frames -show_streams -show_format -show_chapters " + inQuotes(file)));
}

nlohmann::json videoStreamOf(const nlohmann::json& probed) {
    for (const auto& stream : probed["streams"]) {
        if (stream["codec_type"] == "video") return stream;
    }
    return {};
}

std::vector<ShownFrame> shownFrames(const fs::path& file) {
    const auto answer =
        nlohmann::json::parse(shell("ffprobe -v error -of json -select_streams v:0 -show_frames -show_entries "
                                    "stream=time_base:frame=best_effort_timestamp,pkt_duration " +
                                    inQuotes(file)));
    const std::string base = answer["streams"][0]["time_base"];
    const std::size_t slash = base.find('/');
    const Rational timeBase(std::stoll(base.substr(0, slash)), std::stoll(base.substr(slash + 1)));
    std::vector<ShownFrame> frames;
    for (const auto& frame : answer["frames"]) {
        frames.push_back({frame.contains("best_effort_timestamp")
                              ? Rational(frame["best_effort_timestamp"].get<std::int64_t>()) * timeBase
                              : Rational::unknown(),
                          frame.contains("pkt_duration")
                              ? Rational(frame["pkt_duration"].get<std::int64_t>()) * timeBase
                              : Rational::unknown()});
    }
    return frames;
}

std::vector<std::uint8_t> decoded(const fs::path& file, const std::string& pixelFormat) {
    const std::string conversion = pixelFormat.empty() ? "" : " -pix_fmt " + pixelFormat;
    const std::string raw = shell(fmt::format("ffmpeg -v error -i {} -map 0:v:0 -fps_mode passthrough -f rawvideo{} -",
                                              inQuotes(file), conversion));
    return {raw.begin(), raw.end()};
}

std::vector<std::string> packetHashes(const fs::path& file, const std::string& kind) {
    std::istringstream lines(
        shell(fmt::format("ffmpeg -v error -i {} -map 0:{} -c copy -f streamhash -hash md5 -", inQuotes(file), kind)));
    std::vector<std::string> hashes;
    for (std::string line; std::getline(lines, line);) hashes.push_back(line.substr(line.find('=') + 1));
    return hashes;
}

ClipInfo clipOf(int width, int height, Rational rate) {
    ClipInfo clip;
    clip.container = "mov,mp4,m4a,3gp,3g2,mj2";
    clip.video.width = clip.video.codedWidth = width;
    clip.video.height = clip.video.codedHeight = height;
    clip.video.codec = "h264";
    clip.video.pixelFormat = "yuv420p";
    clip.video.averageRate = clip.video.nominalRate = rate;
    clip.video.timeBase = Rational(1) / Rational(rate.num * 512);
    clip.video.startTime = Rational(0);
    clip.video.colour = {1, 1, 1, false, true, 1};
    return clip;
}

VideoFrame movingFrame(int width, int height, std::int64_t index, Rational rate) {
    VideoFrame frame;
    frame.rgb.create(height, width, CV_32FC3);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const bool bar = (x + 3 * index) % 64 < 8;
            frame.rgb.at<cv::Vec3f>(y, x) = {bar ? 0.9F : 0.2F, static_cast<float>(x) / static_cast<float>(width),
                                             static_cast<float>(y) / static_cast<float>(height)};
        }
    }
    frame.time = Rational(index) / rate;
    frame.duration = Rational(1) / rate;
    frame.index = index;
    return frame;
}

VideoFrame flatFrame(int width, int height, cv::Vec3f colour, std::int64_t index) {
    VideoFrame frame;
    frame.rgb = cv::Mat(height, width, CV_32FC3, cv::Scalar(colour[0], colour[1], colour[2]));
    frame.time = Rational(index, 25);
    frame.duration = Rational(1, 25);
    frame.index = index;
    return frame;
}

std::vector<std::string> writeClip(const fs::path& target, const ClipInfo& clip, std::int64_t count,
                                   const fs::path& source, const EncodeOptions& options) {
    auto sink = openFrameSink(target, clip.video.width, clip.video.height, clip, source, options);
    if (!sink) {
        ADD_FAILURE() << sink.error().message;
        return {};
    }
    const Rational start = options.startTime.isKnown() ? options.startTime : clip.video.startTime;
    for (std::int64_t i = 0; i < count; ++i) {
        VideoFrame frame = movingFrame(clip.video.width, clip.video.height, i, clip.video.averageRate);
        frame.time = frame.time + start;
        const Status written = (*sink)->write(frame);
        if (!written) {
            ADD_FAILURE() << written.error().message;
            return {};
        }
    }
    const Status finished = (*sink)->finish();
    EXPECT_TRUE(finished) << finished.error().message;
    return (*sink)->notes();
}

}  // namespace reelbrush::media
