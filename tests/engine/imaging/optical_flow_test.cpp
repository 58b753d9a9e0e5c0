#include "engine/imaging/optical_flow.h"

#include "tests/engine/imaging/synthetic_picture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::imaging {
namespace {

using testing::blobScene;

cv::Mat flowBetween(const cv::Mat& from, const cv::Mat& to, FlowPreset preset) {
    const auto greyFrom = greyForFlow(from), greyTo = greyForFlow(to);
    EXPECT_TRUE(greyFrom && greyTo);
    const auto flow = OpticalFlow(preset).between(*greyFrom, *greyTo);
    EXPECT_TRUE(flow) << flow.error().message;
    return *flow;
}

class FlowPresets : public ::testing::TestWithParam<FlowPreset> {};

TEST_P(FlowPresets, FindsHowASceneMoved) {
    const cv::Size size(160, 96);
    // Seen from three to the right and two down, everything moves three to the left and two up.
    const cv::Mat flow = flowBetween(blobScene(size, 1), blobScene(size, 1, {3, 2}), GetParam());
    ASSERT_EQ(flow.size(), size);
    const cv::Scalar middle = cv::mean(flow(cv::Rect(30, 20, 100, 56)));
    EXPECT_NEAR(middle[0], -3, 0.3);
    EXPECT_NEAR(middle[1], -2, 0.3);
}

INSTANTIATE_TEST_SUITE_P(All, FlowPresets,
                         ::testing::Values(FlowPreset::Fastest, FlowPreset::Fast, FlowPreset::Precise));

TEST(OpticalFlow, TakesAnySizeAndChangesOfSize) {
    OpticalFlow flow(FlowPreset::Precise);
    for (const cv::Size size :
         {cv::Size(1, 1), cv::Size(3, 5), cv::Size(200, 2), cv::Size(33, 47), cv::Size(160, 96)}) {
        const auto grey = greyForFlow(blobScene(size, 2));
        ASSERT_TRUE(grey);
        const auto still = flow.between(*grey, *grey);
        ASSERT_TRUE(still) << still.error().message;
        EXPECT_EQ(still->size(), size);
        EXPECT_LE(cv::norm(*still, cv::NORM_INF), 0.2) << size;
    }
}

TEST(OpticalFlow, RefusesWhatItCannotTake) {
    const cv::Mat grey(8, 8, CV_8UC1, cv::Scalar(0));
    OpticalFlow flow;
    EXPECT_EQ(flow.between(grey, cv::Mat(8, 9, CV_8UC1)).error().code, StatusCode::BadInput);
    EXPECT_EQ(flow.between(cv::Mat(), grey).error().code, StatusCode::BadInput);
    EXPECT_EQ(flow.between(cv::Mat(8, 8, CV_32FC3), grey).error().code, StatusCode::BadInput);
    EXPECT_EQ(greyForFlow(grey).error().code, StatusCode::BadInput);
}

class WarpFilters : public ::testing::TestWithParam<WarpFilter> {};

TEST_P(WarpFilters, FetchesWhatTheFlowPointsAt) {
    const cv::Mat picture = testing::arithmeticPicture({20, 12});
    const cv::Mat flow(picture.size(), CV_32FC2, cv::Scalar(2, -1));
    const auto warped = warpByFlow(picture, flow, GetParam());
    ASSERT_TRUE(warped) << warped.error().message;
    for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(warped->at<cv::Vec3f>(5, 7)[c], picture.at<cv::Vec3f>(4, 9)[c], 1e-6);
        EXPECT_NEAR(warped->at<cv::Vec3f>(0, 19)[c], picture.at<cv::Vec3f>(0, 19)[c], 1e-6) << "the border is repeated";
    }
}

TEST_P(WarpFilters, BringsAMovedSceneBack) {
    const cv::Size size(160, 96);
    const cv::Mat before = blobScene(size, 5), after = blobScene(size, 5, {2, 1});
    const auto warped = warpByFlow(after, flowBetween(before, after, FlowPreset::Precise), GetParam());
    ASSERT_TRUE(warped);
    const cv::Rect middle(20, 20, 120, 56);
    const double apart = cv::norm(before(middle), after(middle), cv::NORM_L2);
    EXPECT_LT(cv::norm(before(middle), (*warped)(middle), cv::NORM_L2), 0.25 * apart);
}

INSTANTIATE_TEST_SUITE_P(All, WarpFilters,
                         ::testing::Values(WarpFilter::Linear, WarpFilter::Cubic, WarpFilter::Lanczos));

TEST(WarpByFlow, RefusesWhatItCannotTake) {
    const cv::Mat flow(4, 4, CV_32FC2, cv::Scalar::all(0));
    EXPECT_EQ(warpByFlow(cv::Mat(4, 5, CV_32FC3), flow).error().code, StatusCode::BadInput);
    EXPECT_EQ(warpByFlow(cv::Mat(4, 4, CV_8UC3), flow).error().code, StatusCode::BadInput);
    EXPECT_EQ(warpByFlow(cv::Mat(4, 4, CV_32FC3), cv::Mat()).error().code, StatusCode::BadInput);
}

TEST(VisiblePixels, AllWhereTheWayBackAgrees) {
    const cv::Mat forth(20, 30, CV_32FC2, cv::Scalar(4, -3)), back(20, 30, CV_32FC2, cv::Scalar(-4, 3));
    const auto visible = visiblePixels(forth, back);
    ASSERT_TRUE(visible) << visible.error().message;
    EXPECT_EQ(cv::countNonZero(*visible), 600);
}

TEST(VisiblePixels, NoneWhereTheWayBackLeadsElsewhere) {
    const cv::Mat forth(20, 30, CV_32FC2, cv::Scalar(4, -3)), back(20, 30, CV_32FC2, cv::Scalar(4, 3));
    const auto visible = visiblePixels(forth, back);
    ASSERT_TRUE(visible);
    EXPECT_EQ(cv::countNonZero(*visible), 0);
}

TEST(VisiblePixels, NotAtTheBordersOfMovingThings) {
    cv::Mat forth(20, 30, CV_32FC2, cv::Scalar::all(0));
    forth.colRange(15, 30).setTo(cv::Scalar(0.4, 0));  // too little to fail the way back
    const auto visible = visiblePixels(forth, -forth);
    ASSERT_TRUE(visible);
    for (int x = 0; x < 30; ++x) EXPECT_EQ(visible->at<uchar>(10, x), x == 14 || x == 15 ? 0 : 255) << x;
}

TEST(VisiblePixels, TakesASinglePixel) {
    const cv::Mat flow(1, 1, CV_32FC2, cv::Scalar::all(0));
    const auto visible = visiblePixels(flow, flow);
    ASSERT_TRUE(visible) << visible.error().message;
    EXPECT_EQ(visible->at<uchar>(0, 0), 255);
}

}  // namespace
}  // namespace reelbrush::imaging
