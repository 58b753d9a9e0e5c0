#include "engine/render/frame_preparer.h"

#include <gtest/gtest.h>

namespace reelbrush::render {
namespace {

media::VideoFrame greyFrame(cv::Size size, float value, std::int64_t index = 0) {
    media::VideoFrame frame;
    frame.rgb = cv::Mat(size, CV_32FC3, cv::Scalar::all(value));
    frame.time = Rational(index, 25);
    frame.index = index;
    return frame;
}

FramePreparation withStructure() {
    FramePreparation preparation;
    preparation.structure = imaging::StructureOptions{};
    return preparation;
}

TEST(FramePreparer, PadsTheStructureOfAnySize) {
    for (const cv::Size size : {cv::Size(1, 1), cv::Size(33, 47), cv::Size(64, 48), cv::Size(3, 100)}) {
        FramePreparer preparer(size, withStructure());
        auto prepared = preparer.prepare(greyFrame(size, 0.5f));
        ASSERT_TRUE(prepared) << prepared.error().message;
        EXPECT_EQ(prepared->picture.cols % 16, 0);
        EXPECT_EQ(prepared->picture.rows % 16, 0);
        EXPECT_GE(std::min(prepared->picture.cols, prepared->picture.rows), 32);
        EXPECT_TRUE(prepared->picture.isContinuous());
        EXPECT_NEAR(cv::mean(prepared->picture)[0], 0.5, 1e-3);
    }
}

TEST(FramePreparer, ResizesToTheWantedSize) {
    FramePreparer preparer({64, 32}, withStructure());
    auto prepared = preparer.prepare(greyFrame({200, 100}, 0.25f));
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_EQ(prepared->picture.size(), cv::Size(64, 32));
}

TEST(FramePreparer, GivesTheFrameItselfToPaintersThatWantIt) {
    FramePreparer preparer({64, 32}, {});
    media::VideoFrame frame = greyFrame({64, 32}, 0.5f);
    frame.rgb.at<cv::Vec3f>(7, 9) = {1, 0, 0.25f};
    auto prepared = preparer.prepare(frame);
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_EQ(prepared->picture.at<cv::Vec3f>(7, 9), cv::Vec3f(1, 0, 0.25f));
}

TEST(FramePreparer, LetsThePixelsGoAndKeepsTheRest) {
    FramePreparer preparer({64, 32}, withStructure());
    media::VideoFrame frame = greyFrame({64, 32}, 0.5f, 12);
    frame.alpha = cv::Mat(32, 64, CV_32FC1, cv::Scalar(0.75));
    frame.duration = Rational(1, 25);
    auto prepared = preparer.prepare(frame);
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_TRUE(prepared->frame.rgb.empty());
    EXPECT_EQ(prepared->frame.alpha.size(), cv::Size(64, 32));
    EXPECT_EQ(prepared->frame.time, Rational(12, 25));
    EXPECT_EQ(prepared->frame.duration, Rational(1, 25));
    EXPECT_EQ(prepared->frame.index, 12);
}

TEST(FramePreparer, OnlyTheFirstFrameOfAStillShotStartsIt) {
    FramePreparer preparer({64, 32}, withStructure());
    for (int i = 0; i < 5; ++i) {
        auto prepared = preparer.prepare(greyFrame({64, 32}, 0.5f, i));
        ASSERT_TRUE(prepared) << prepared.error().message;
        EXPECT_EQ(prepared->startsShot, i == 0);
    }
}

TEST(FramePreparer, RefusesOtherKindsOfPictures) {
    FramePreparer preparer({64, 32}, withStructure());
    media::VideoFrame frame;
    frame.rgb = cv::Mat(32, 64, CV_8UC3, cv::Scalar::all(3));
    const auto prepared = preparer.prepare(frame);
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().code, StatusCode::BadInput);
}

}  // namespace
}  // namespace reelbrush::render
