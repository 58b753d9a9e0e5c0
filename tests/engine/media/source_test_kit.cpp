#include "tests/engine/media/source_test_kit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <opencv2/core.hpp>

namespace reelbrush::media::test {

namespace fs = std::filesystem;

SourceTest::SourceTest() {
    std::string name = (fs::temp_directory_path() / "reelbrush-source-XXXXXX").string();
    folder_ = mkdtemp(name.data());
}

SourceTest::~SourceTest() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void SourceTest::ffmpeg(const std::string& arguments) const {
    const std::string command =
        fmt::format("cd '{}' && ffmpeg -nostdin -v error -y {} 2>>ffmpeg.log", folder_.string(), arguments);
    EXPECT_EQ(std::system(command.c_str()), 0) << command << "\n" << readFile("ffmpeg.log");
}

void SourceTest::writeFile(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
}

std::string SourceTest::readFile(const std::string& name) const {
    std::ifstream stream(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void SourceTest::truncateFile(const std::string& name, double fraction) const {
    const auto size = static_cast<double>(fs::file_size(file(name)));
    fs::resize_file(file(name), static_cast<std::uintmax_t>(size * fraction));
}

bool haveFfmpeg() {
    static const bool have = std::system("ffmpeg -version >/dev/null 2>&1") == 0;
    return have;
}

ReadResult readAll(const fs::path& path, const OpenOptions& options) {
    ReadResult result;
    auto source = openFrameSource(path, options);
    if (!source) {
        result.error = source.error();
        return result;
    }
    result.info = (*source)->info();
    for (;;) {
        auto frame = (*source)->next();
        if (!frame) {
            result.error = frame.error();
            return result;
        }
        if (!*frame) return result;
        result.frames.push_back(std::move(**frame));
    }
}

ReadResult readWhole(const fs::path& path, const OpenOptions& options) {
    ReadResult result = readAll(path, options);
    EXPECT_EQ(result.error.message, "");
    return result;
}

cv::Vec3d middleColour(const cv::Mat& rgb) {
    const cv::Rect middle(rgb.cols / 4, rgb.rows / 4, std::max(1, rgb.cols / 2), std::max(1, rgb.rows / 2));
    const cv::Scalar mean = cv::mean(rgb(middle));
    return {mean[0], mean[1], mean[2]};
}

}  // namespace reelbrush::media::test
