#include "engine/session/style_picture.h"

#include "engine/session/picture_file.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <fstream>

namespace reelbrush::session {
namespace {

TEST(StylePicture, IsCoveredAndCropped) {
    const reelbrush::testing::ScratchFolder scratch;
    const auto file = scratch.path() / "wide.png";
    // Red, green, red: the middle square is all that is left.
    cv::Mat picture(50, 150, CV_32FC3, cv::Scalar(1, 0, 0));
    picture(cv::Rect(50, 0, 50, 50)).setTo(cv::Scalar(0, 1, 0));
    ASSERT_TRUE(writePicture(picture, file));
    const auto loaded = loadStylePicture(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const auto values = fitStylePicture(*loaded, {224, 224});
    ASSERT_TRUE(values) << values.error().message;
    ASSERT_EQ(values->size(), 224u * 224u * 3u);
    const std::size_t centre = (112 * 224 + 112) * 3;
    EXPECT_NEAR((*values)[centre], 0, 0.02);
    EXPECT_NEAR((*values)[centre + 1], 1, 0.02);
    for (const float value : *values) {
        ASSERT_GE(value, 0.0f);
        ASSERT_LE(value, 1.0f);
    }
}

TEST(StylePicture, SaysWhichPictureCannotBeUsed) {
    const reelbrush::testing::ScratchFolder scratch;
    std::ofstream(scratch.path() / "text.png") << "not a picture";
    const auto values = loadStylePicture(scratch.path() / "text.png");
    ASSERT_FALSE(values);
    EXPECT_NE(values.error().message.find("style picture"), std::string::npos);
    EXPECT_NE(values.error().message.find("text.png"), std::string::npos);
}

TEST(StylePicture, ThumbnailsAreCoveredToo) {
    const reelbrush::testing::ScratchFolder scratch;
    ASSERT_TRUE(writePicture(cv::Mat(90, 90, CV_32FC3, cv::Scalar::all(0.5)), scratch.path() / "a.png"));
    ASSERT_TRUE(writeThumbnail(scratch.path() / "a.png", scratch.path() / "b.jpg", {64, 36}));
    EXPECT_FALSE(writeThumbnail(scratch.path() / "none.png", scratch.path() / "c.jpg", {64, 36}));
    EXPECT_FALSE(std::filesystem::exists(scratch.path() / "c.jpg"));
}

}  // namespace
}  // namespace reelbrush::session
