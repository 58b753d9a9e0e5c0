#include "engine/imaging/control_image.h"

#include "tests/engine/imaging/synthetic_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>

namespace reelbrush::imaging {
namespace {

constexpr ControlPreprocessor kAll[] = {ControlPreprocessor::None,     ControlPreprocessor::Canny,
                                        ControlPreprocessor::SoftEdge, ControlPreprocessor::Scribble,
                                        ControlPreprocessor::Lineart,  ControlPreprocessor::Luminance,
                                        ControlPreprocessor::Tile};

/// A bright square on a dark ground, with its border from pixel 16 to 48.
cv::Mat square() {
    cv::Mat picture(64, 64, CV_32FC3, cv::Scalar(0.1, 0.1, 0.2));
    cv::rectangle(picture, {16, 16}, {47, 47}, cv::Scalar(0.9, 0.8, 0.7), cv::FILLED);
    return picture;
}

float at(const cv::Mat& picture, int x, int y) {
    return picture.at<cv::Vec3f>(y, x)[0];
}

cv::Mat make(ControlPreprocessor kind, const cv::Mat& picture) {
    const auto made = makeControlImage(kind, picture);
    EXPECT_TRUE(made) << made.error().message;
    return made.value_or(cv::Mat());
}

TEST(ControlImage, EdgesLieWhereTheSquareEnds) {
    for (const auto kind : {ControlPreprocessor::Canny, ControlPreprocessor::SoftEdge, ControlPreprocessor::Scribble}) {
        const cv::Mat made = make(kind, square());
        float strongest = 0;
        for (int x = 13; x < 19; ++x) strongest = std::max(strongest, at(made, x, 32));
        EXPECT_GT(strongest, 0.8f) << nameOf(kind);
        EXPECT_LT(at(made, 32, 32), 0.05f) << nameOf(kind);
        EXPECT_LT(at(made, 3, 3), 0.05f) << nameOf(kind);
    }
}

TEST(ControlImage, CannyIsBlackAndWhiteAndThinScribbleBroad) {
    const cv::Mat thin = make(ControlPreprocessor::Canny, square());
    const cv::Mat broad = make(ControlPreprocessor::Scribble, square());
    double thinPixels = 0, broadPixels = 0;
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x) {
            EXPECT_TRUE(at(thin, x, y) == 0.0f || at(thin, x, y) == 1.0f);
            thinPixels += at(thin, x, y);
            broadPixels += at(broad, x, y);
        }
    EXPECT_NEAR(thinPixels, 4 * 32, 24);
    EXPECT_GT(broadPixels, 3 * thinPixels);
}

TEST(ControlImage, LineartFindsADarkLineAndNoBrightOne) {
    cv::Mat picture(64, 64, CV_32FC3, cv::Scalar::all(0.5));
    cv::line(picture, {20, 0}, {20, 63}, cv::Scalar::all(0.1), 2);
    cv::line(picture, {44, 0}, {44, 63}, cv::Scalar::all(0.9), 2);
    const cv::Mat made = make(ControlPreprocessor::Lineart, picture);
    EXPECT_GT(at(made, 20, 32), 0.8f);
    EXPECT_LT(at(made, 44, 32), 0.05f);
    EXPECT_LT(at(made, 32, 32), 0.05f);
}

TEST(ControlImage, LuminanceIsTheLuma) {
    const cv::Mat made = make(ControlPreprocessor::Luminance, cv::Mat(3, 5, CV_32FC3, cv::Scalar(0.2, 0.5, 0.9)));
    for (const float value : {made.at<cv::Vec3f>(1, 1)[0], made.at<cv::Vec3f>(2, 4)[2]})
        EXPECT_NEAR(value, 0.299 * 0.2 + 0.587 * 0.5 + 0.114 * 0.9, 1e-6);
}

TEST(ControlImage, TileKeepsColoursAndLosesDetail) {
    cv::Mat picture(64, 64, CV_32FC3);
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x) picture.at<cv::Vec3f>(y, x) = {(x + y) % 2 == 0 ? 1.0f : 0.0f, 0.3f, 0.6f};
    const cv::Mat made = make(ControlPreprocessor::Tile, picture);
    EXPECT_LE(cv::norm(made, cv::Mat(64, 64, CV_32FC3, cv::Scalar(0.5, 0.3, 0.6)), cv::NORM_INF), 1e-4);
}

TEST(ControlImage, NoneIsThePictureClampedAndNotTheSameMemory) {
    cv::Mat picture = square();
    picture.at<cv::Vec3f>(0, 0) = {1.5f, -0.5f, std::numeric_limits<float>::quiet_NaN()};
    const cv::Mat made = make(ControlPreprocessor::None, picture);
    EXPECT_EQ(made.at<cv::Vec3f>(0, 0), cv::Vec3f(1, 0, 0));
    EXPECT_NE(made.data, picture.data);
    EXPECT_EQ(at(made, 32, 32), at(picture, 32, 32));
}

/// Nothing is measured on the whole frame: what happens in one corner must not change the other.
TEST(ControlImage, AFarChangeChangesNothingHere) {
    const cv::Mat before = testing::blobScene({128, 64}, 5);
    cv::Mat after = before.clone();
    cv::rectangle(after, {112, 48}, {127, 63}, cv::Scalar::all(1), cv::FILLED);
    for (const auto kind : kAll) {
        const cv::Rect here(0, 0, 40, 64);
        EXPECT_LE(cv::norm(make(kind, before)(here), make(kind, after)(here), cv::NORM_INF), 1e-4) << nameOf(kind);
    }
}

TEST(ControlImage, TakesEverySize) {
    for (const cv::Size size : {cv::Size(1, 1), cv::Size(2, 1), cv::Size(1, 9), cv::Size(7, 5)})
        for (const auto kind : kAll) {
            const cv::Mat made = make(kind, cv::Mat(size, CV_32FC3, cv::Scalar::all(0.4)));
            EXPECT_EQ(made.size(), size) << nameOf(kind);
            EXPECT_EQ(made.type(), CV_32FC3) << nameOf(kind);
            EXPECT_TRUE(cv::checkRange(made, true, nullptr, 0.0, 1.0 + 1e-6)) << nameOf(kind);
        }
}

TEST(ControlImage, RefusesWhatItCannotTake) {
    for (const auto kind : kAll) {
        EXPECT_EQ(makeControlImage(kind, {}).error().code, StatusCode::BadInput);
        EXPECT_EQ(makeControlImage(kind, cv::Mat(4, 4, CV_8UC3)).error().code, StatusCode::BadInput);
    }
    ControlImageOptions options;
    options.lowThreshold = 0.9;
    EXPECT_FALSE(makeControlImage(ControlPreprocessor::Canny, square(), options));
    options = {};
    options.smoothing = std::nan("");
    EXPECT_FALSE(makeControlImage(ControlPreprocessor::Canny, square(), options));
    options = {};
    options.tileFactor = 0;
    EXPECT_FALSE(makeControlImage(ControlPreprocessor::Tile, square(), options));
}

TEST(ControlNames, EveryNameIsUnderstood) {
    for (const auto kind : kAll) EXPECT_EQ(*controlPreprocessorNamed(nameOf(kind)), kind);
    EXPECT_EQ(*controlPreprocessorNamed("Soft-Edge"), ControlPreprocessor::SoftEdge);
    EXPECT_EQ(*controlPreprocessorNamed("HED"), ControlPreprocessor::SoftEdge);
    EXPECT_EQ(*controlPreprocessorNamed("gray"), ControlPreprocessor::Luminance);
    const auto unknown = controlPreprocessorNamed("depth");
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().message.find("scribble"), std::string::npos);
}

TEST(ControlNames, FilesSayWhatTheyFollow) {
    EXPECT_EQ(controlPreprocessorOfFile("models/control_v11p_sd15_canny.pth"), ControlPreprocessor::Canny);
    EXPECT_EQ(controlPreprocessorOfFile("control_v11p_sd15_softedge_fp16.safetensors"), ControlPreprocessor::SoftEdge);
    EXPECT_EQ(controlPreprocessorOfFile("control_v11f1e_sd15_tile"), ControlPreprocessor::Tile);
    EXPECT_EQ(controlPreprocessorOfFile("control_v1p_sd15_brightness"), ControlPreprocessor::Luminance);
    EXPECT_EQ(controlPreprocessorOfFile("control_v11p_sd15s2_lineart_anime"), ControlPreprocessor::Lineart);
    EXPECT_FALSE(controlPreprocessorOfFile("control_v11f1p_sd15_depth"));
    EXPECT_FALSE(controlPreprocessorOfFile("canny/diffusion_pytorch_model.safetensors"));
    EXPECT_FALSE(controlPreprocessorOfFile(""));
}

}  // namespace
}  // namespace reelbrush::imaging
