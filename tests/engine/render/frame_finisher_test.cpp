#include "engine/render/frame_finisher.h"

#include <gtest/gtest.h>

namespace reelbrush::render {
namespace {

TEST(FrameFinisher, CutsThePaddingOff) {
    cv::Mat painting(48, 64, CV_32FC3, cv::Scalar::all(9));
    painting(cv::Rect(0, 0, 50, 33)).setTo(cv::Scalar(0.1, 0.2, 0.3));
    media::VideoFrame source;
    source.time = Rational(7, 30);
    const auto finished = finishFrame(painting, source, {50, 33});
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_EQ(finished->rgb.size(), cv::Size(50, 33));
    EXPECT_LT(cv::norm(finished->rgb, cv::Mat(33, 50, CV_32FC3, cv::Scalar(0.1, 0.2, 0.3)), cv::NORM_INF), 1e-6);
    EXPECT_EQ(finished->time, Rational(7, 30));
    EXPECT_TRUE(finished->alpha.empty());
}

TEST(FrameFinisher, AlphaPassesThrough) {
    media::VideoFrame source;
    source.alpha = cv::Mat(32, 64, CV_32FC1, cv::Scalar(0.25));
    source.alpha(cv::Rect(0, 0, 32, 32)).setTo(0.75);
    const cv::Mat painting(32, 64, CV_32FC3, cv::Scalar::all(0.5));

    const auto same = finishFrame(painting, source, {64, 32});
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(cv::norm(same->alpha, source.alpha, cv::NORM_INF), 0.0);

    const auto halved = finishFrame(painting, source, {32, 16});
    ASSERT_TRUE(halved) << halved.error().message;
    ASSERT_EQ(halved->alpha.size(), cv::Size(32, 16));
    ASSERT_EQ(halved->alpha.type(), CV_32FC1);
    EXPECT_NEAR(halved->alpha.at<float>(8, 2), 0.75, 1e-3);
    EXPECT_NEAR(halved->alpha.at<float>(8, 29), 0.25, 1e-3);
}

TEST(FrameFinisher, RefusesAPaintingThatIsTooSmall) {
    EXPECT_FALSE(finishFrame(cv::Mat(32, 32, CV_32FC3, cv::Scalar::all(0)), {}, {40, 40}));
}

}  // namespace
}  // namespace reelbrush::render
