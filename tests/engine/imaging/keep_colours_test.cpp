#include "engine/imaging/keep_colours.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

namespace reelbrush::imaging {
namespace {

double lightOf(const cv::Vec3f& rgb) {
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
}

TEST(KeepColours, TheFramesColoursWithThePaintingsLight) {
    const cv::Mat frame(40, 60, CV_32FC3, cv::Scalar(0.3, 0.5, 0.4));
    cv::Mat painting(40, 60, CV_32FC3, cv::Scalar(0.55, 0.4, 0.45));
    painting(cv::Rect(0, 0, 30, 40)) *= 0.8;
    const auto result = keepColours(painting, frame, 4);
    ASSERT_TRUE(result) << result.error().message;
    const auto at = result->at<cv::Vec3f>(20, 45), was = painting.at<cv::Vec3f>(20, 45);
    EXPECT_NEAR(lightOf(at), lightOf(was), 1e-3);
    EXPECT_NEAR(at[0] - lightOf(at), 0.3 - lightOf({0.3f, 0.5f, 0.4f}), 0.01);
    EXPECT_NEAR(at[2] - lightOf(at), 0.4 - lightOf({0.3f, 0.5f, 0.4f}), 0.01);
}

TEST(KeepColours, APaintingInTheFramesColoursStays) {
    cv::Mat frame(16, 16, CV_32FC3);
    cv::randu(frame, 0.1, 0.9);
    const auto result = keepColours(frame, frame, 3);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_LT(cv::norm(*result, frame, cv::NORM_INF), 1e-5);
}

TEST(KeepColours, RefusesWhatDoesNotFit) {
    const cv::Mat a(8, 8, CV_32FC3, cv::Scalar::all(0.5)), b(8, 9, CV_32FC3, cv::Scalar::all(0.5));
    EXPECT_FALSE(keepColours(a, b, 1));
    EXPECT_FALSE(keepColours(a, a, 0));
    EXPECT_FALSE(keepColours({}, a, 1));
}

}  // namespace
}  // namespace reelbrush::imaging
