#include "tests/engine/media/source_test_kit.h"

#include <fmt/format.h>

#include <opencv2/core.hpp>

namespace reelbrush::media::test {

namespace {

/// Which corner of an upright picture holds the mark: 0 top left, then clockwise; -1 none.
int markedCorner(const cv::Mat& rgb) {
    const int w = rgb.cols, h = rgb.rows;
    const cv::Rect corners[] = {{2, 2, 8, 8}, {w - 10, 2, 8, 8}, {w - 10, h - 10, 8, 8}, {2, h - 10, 8, 8}};
    int found = -1;
    for (int i = 0; i < 4; ++i) {
        if (cv::mean(rgb(corners[i]))[0] < 0.5) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

/// Whether the green mark lies along the long or the short side next to the white one decides about mirroring: it is
/// clockwise of the white corner where the picture is not mirrored.
bool greenFollowsClockwise(const cv::Mat& rgb, int corner) {
    const int w = rgb.cols, h = rgb.rows;
    const cv::Rect corners[] = {{2, 2, 8, 8}, {w - 10, 2, 8, 8}, {w - 10, h - 10, 8, 8}, {2, h - 10, 8, 8}};
    const cv::Scalar next = cv::mean(rgb(corners[(corner + 1) % 4]));
    return next[1] > 0.3 && next[0] < 0.3;
}

/// Black, white in the top left corner, green in the top right one.
constexpr const char* kMarks =
    "-f lavfi -i \"color=black:s=64x48:r=25:d=0.2,drawbox=0:0:16:16:white:fill,drawbox=48:0:16:16:green:fill\"";

std::string littleEndian(std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
    return text;
}

/// A JPEG with an EXIF segment that holds nothing but the orientation.
std::string withExif(const std::string& jpeg, int orientation) {
    std::string exif = std::string("Exif\0\0", 6) + "II*" + std::string(1, '\0') + littleEndian(8, 4) +
                       littleEndian(1, 2) + littleEndian(0x0112, 2) + littleEndian(3, 2) + littleEndian(1, 4) +
                       littleEndian(static_cast<std::uint32_t>(orientation), 4) + littleEndian(0, 4);
    const std::size_t length = exif.size() + 2;
    const std::string header = {'\xFF', '\xE1', static_cast<char>(length >> 8), static_cast<char>(length & 255)};
    return jpeg.substr(0, 2) + header + exif + jpeg.substr(2);
}

}  // namespace

class OrientationSourceTest : public SourceTest {};

TEST_F(OrientationSourceTest, HonoursTheDisplayMatrixOfVideos) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg(fmt::format("{} -c:v libx264 -vf setsar=4/3 -pix_fmt yuv420p plain.mp4", kMarks));
    for (const int degrees : {90, 180, 270}) {
        SCOPED_TRACE(degrees);
        ffmpeg(fmt::format("-i plain.mp4 -c copy -metadata:s:v rotate={} turned.mp4", degrees));
        ffmpeg("-i turned.mp4 -frames:v 1 judged.png");  // this program turns by itself: the judge
        const ReadResult clip = readWhole(file("turned.mp4"));
        const ReadResult judged = readWhole(file("judged.png"));
        ASSERT_EQ(clip.frames.size(), 5U);
        const int turns = clip.info.video.rotationDegrees / 90;
        EXPECT_NE(turns, 0);
        EXPECT_FALSE(clip.info.video.mirrored);
        const bool sideways = degrees != 180;
        EXPECT_EQ(clip.frames[0].rgb.size(), sideways ? cv::Size(48, 64) : cv::Size(64, 48));
        EXPECT_EQ(clip.info.video.width, sideways ? 48 : 64);
        EXPECT_EQ(clip.info.video.codedWidth, 64);
        EXPECT_EQ(clip.info.video.pixelAspect, sideways ? Rational(3, 4) : Rational(4, 3));
        EXPECT_EQ(markedCorner(clip.frames[0].rgb), turns);
        EXPECT_EQ(markedCorner(judged.frames.at(0).rgb), turns);
        EXPECT_TRUE(greenFollowsClockwise(clip.frames[0].rgb, turns));
    }
}

TEST_F(OrientationSourceTest, HonoursMirroredDisplayMatrix) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg(fmt::format("{} -c:v libx264 -pix_fmt yuv420p plain.mp4", kMarks));
    // The matrix of the track header: 1 as 16.16 in the first place becomes -1.
    std::string bytes = readFile("plain.mp4");
    const std::size_t matrix = bytes.find("tkhd") + 4 + 40;
    ASSERT_EQ(bytes.substr(matrix, 4), std::string("\0\1\0\0", 4));
    bytes.replace(matrix, 4, std::string("\xFF\xFF\0\0", 4));
    writeFile("mirrored.mp4", bytes);
    const ReadResult clip = readWhole(file("mirrored.mp4"));
    ASSERT_FALSE(clip.frames.empty());
    EXPECT_TRUE(clip.info.video.mirrored);
    EXPECT_EQ(clip.info.video.rotationDegrees, 0);
    EXPECT_EQ(markedCorner(clip.frames[0].rgb), 1);
    EXPECT_FALSE(greenFollowsClockwise(clip.frames[0].rgb, 1));
}

TEST_F(OrientationSourceTest, HonoursAllExifOrientations) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg(fmt::format("{} -frames:v 1 -q:v 2 plain.jpg", kMarks));
    const std::string jpeg = readFile("plain.jpg");
    // Where the stored top left corner is shown, after the EXIF standard's words for each value.
    const int corners[] = {0, 1, 2, 3, 0, 1, 2, 3};
    for (int orientation = 1; orientation <= 8; ++orientation) {
        SCOPED_TRACE(orientation);
        writeFile("photo.jpg", withExif(jpeg, orientation));
        const ReadResult photo = readWhole(file("photo.jpg"));
        ASSERT_EQ(photo.frames.size(), 1U);
        EXPECT_EQ(photo.frames[0].rgb.size(), orientation > 4 ? cv::Size(48, 64) : cv::Size(64, 48));
        const int corner = corners[orientation - 1];
        EXPECT_EQ(markedCorner(photo.frames[0].rgb), corner);
        const bool mirrored = orientation == 2 || orientation == 4 || orientation == 5 || orientation == 7;
        EXPECT_EQ(greenFollowsClockwise(photo.frames[0].rgb, corner), !mirrored);
    }
    writeFile("photo.jpg", withExif(jpeg, 77));
    EXPECT_EQ(readWhole(file("photo.jpg")).info.video.rotationDegrees, 0);
}

}  // namespace reelbrush::media::test
