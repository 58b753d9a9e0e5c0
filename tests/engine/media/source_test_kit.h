#pragma once

#include "engine/media/frame_source.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Needs the ffmpeg program to make the clips that a test reads.
#define SKIP_WITHOUT_FFMPEG() \
    if (!::reelbrush::media::test::haveFfmpeg()) GTEST_SKIP() << "the ffmpeg program is not installed"

namespace reelbrush::media::test {

/// A folder of its own for each test, removed afterwards.
class SourceTest : public ::testing::Test {
  protected:
    SourceTest();
    ~SourceTest() override;
    std::filesystem::path file(const std::string& name) const { return folder_ / name; }
    /// Runs ffmpeg in the folder with shell-quoted arguments; a test failure where it fails.
    void ffmpeg(const std::string& arguments) const;
    void writeFile(const std::string& name, const std::string& content) const;
    std::string readFile(const std::string& name) const;
    /// Keeps the first part of a file only.
    void truncateFile(const std::string& name, double fraction) const;

    std::filesystem::path folder_;
};

bool haveFfmpeg();

struct ReadResult {
    std::vector<VideoFrame> frames;
    Error error;  ///< message empty: none
    ClipInfo info;
};

/// Opens and reads to the end or the first error.
ReadResult readAll(const std::filesystem::path& path, const OpenOptions& options = {});

/// The same, with a test failure on any error.
ReadResult readWhole(const std::filesystem::path& path, const OpenOptions& options = {});

/// Mean of each channel over the middle half of a picture.
cv::Vec3d middleColour(const cv::Mat& rgb);

}  // namespace reelbrush::media::test
