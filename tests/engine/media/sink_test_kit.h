#pragma once

#include "engine/media/frame_sink.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// What the tests of writing share: synthetic clips in, FFmpeg's own tools as judges of what came out.
namespace reelbrush::media {

/// A folder that goes away with the test.
class ScratchFolder {
  public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }
    /// Names of everything inside, hidden files too, sorted.
    std::vector<std::string> contents() const;

  private:
    std::filesystem::path path_;
};

bool haveFfmpeg();
/// For a shell command line.
std::string inQuotes(const std::filesystem::path& path);
/// Runs a command line and gives what it printed; a failing command fails the test.
std::string shell(const std::string& command);
/// ffprobe's answer: streams, format and chapters, frames counted.
nlohmann::json probe(const std::filesystem::path& file);
nlohmann::json videoStreamOf(const nlohmann::json& probed);
/// "num/den" of each shown frame's time and length of the video stream.
struct ShownFrame {
    Rational time, duration;
};
std::vector<ShownFrame> shownFrames(const std::filesystem::path& file);
/// All frames as raw samples, converted by FFmpeg to `pixelFormat`, or as they are where that is empty.
std::vector<std::uint8_t> decoded(const std::filesystem::path& file, const std::string& pixelFormat);
/// One hash per stream of the given kind ("a", "s"), over its packets' data.
std::vector<std::string> packetHashes(const std::filesystem::path& file, const std::string& kind);

/// A clip of constant rate with BT.709 limited tags.
ClipInfo clipOf(int width, int height, Rational rate = Rational(25));
/// A gradient with a bar that moves, so that every frame differs.
VideoFrame movingFrame(int width, int height, std::int64_t index, Rational rate = Rational(25));
/// One colour all over.
VideoFrame flatFrame(int width, int height, cv::Vec3f colour, std::int64_t index = 0);
/// Writes `count` moving frames and finishes; fails the test on any error. Gives the sink's notes.
std::vector<std::string> writeClip(const std::filesystem::path& target, const ClipInfo& clip, std::int64_t count,
                                   const std::filesystem::path& source = {}, const EncodeOptions& options = {});

#define SKIP_WITHOUT_FFMPEG() \
    if (!haveFfmpeg()) GTEST_SKIP() << "ffmpeg and ffprobe are not installed (Debian package ffmpeg)"

}  // namespace reelbrush::media
