#include "engine/imaging/fit_picture.h"

#include "tests/engine/imaging/synthetic_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/core.hpp>
#include <vector>

namespace reelbrush::imaging {
namespace {

using testing::arithmeticPicture;

// What Pillow 13.0 makes of arithmeticPicture 61x23 with LANCZOS: 16x6, of that the middle 8x6.
const std::vector<int> kCovered{
    123, 125, 125, 126, 150, 117, 129, 139, 142, 127, 135, 115, 135, 131, 156, 127, 99,  125, 141, 166, 124,
    126, 237, 145, 125, 132, 101, 125, 108, 129, 127, 110, 98,  130, 125, 139, 129, 124, 104, 134, 132, 144,
    131, 57,  151, 141, 88,  132, 121, 132, 169, 125, 141, 98,  125, 142, 118, 127, 127, 111, 129, 117, 154,
    129, 151, 132, 134, 105, 153, 131, 46,  148, 124, 128, 86,  120, 116, 151, 125, 129, 115, 125, 136, 131,
    127, 135, 110, 129, 129, 147, 129, 182, 126, 134, 140, 129, 114, 141, 40,  123, 139, 135, 121, 134, 126,
    125, 130, 94,  125, 143, 154, 127, 100, 128, 130, 157, 98,  129, 232, 129, 127, 123, 130, 116, 107, 83,
    120, 108, 97,  122, 128, 128, 121, 119, 92,  126, 133, 101, 124, 53,  155, 130, 89,  98};
// ... and of arithmeticPicture 4x3: 7x8.
const std::vector<int> kEnlarged{
    0,   0,  0,  0,   0,  9,  24,  1,  34, 40,  4,  44,  55,  11, 53, 80,  21, 78, 93,  26, 94, 2,   0,  1,
    11,  0,  6,  36,  3,  24, 60,  6,  44, 83,  13, 63,  108, 23, 81, 120, 28, 88, 23,  4,  11, 30,  4,  2,
    56,  7,  6,  94,  10, 44, 129, 17, 81, 156, 27, 85,  165, 32, 77, 62,  12, 26, 70,  12, 5,  97,  15, 0,
    134, 18, 44, 170, 25, 94, 196, 35, 82, 205, 40, 61,  113, 22, 42, 131, 22, 25, 154, 25, 14, 150, 28, 44,
    146, 35, 75, 168, 45, 62, 186, 50, 45, 150, 30, 50,  180, 30, 52, 199, 33, 53, 134, 36, 44, 72,  43, 36,
    87,  53, 35, 117, 58, 37, 168, 34, 52, 207, 34, 72,  223, 37, 85, 113, 40, 44, 8,   47, 4,  18,  57, 15,
    57,  62, 35, 179, 36, 53, 223, 36, 83, 238, 39, 104, 100, 42, 44, 0,   49, 0,  0,   59, 4,  21,  64, 34};

double psnrAgainst(const cv::Mat& picture, const std::vector<int>& bytes) {
    EXPECT_EQ(picture.total() * 3, bytes.size());
    const auto* values = picture.ptr<float>();
    double squares = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) squares += std::pow(values[i] - bytes[i] / 255.0, 2);
    return -10 * std::log10(squares / static_cast<double>(bytes.size()));
}

TEST(FitPicture, CoversAndCropsAsPillowDoes) {
    const auto covered = coverAndCrop(arithmeticPicture({61, 23}), {8, 6});
    ASSERT_TRUE(covered) << covered.error().message;
    ASSERT_EQ(covered->size(), cv::Size(8, 6));
    EXPECT_GT(psnrAgainst(*covered, kCovered), 55);
}

TEST(FitPicture, EnlargesAsPillowDoes) {
    const auto enlarged = resizePicture(arithmeticPicture({4, 3}), {7, 8});
    ASSERT_TRUE(enlarged) << enlarged.error().message;
    // Pillow also clips and rounds between its two passes, which costs 50 dB on a picture this harsh.
    EXPECT_GT(psnrAgainst(*enlarged, kEnlarged), 49);
}

TEST(FitPicture, CoversFromAnySizeToAnySize) {
    for (const cv::Size from : {cv::Size(1, 1), cv::Size(1, 50), cv::Size(50, 1), cv::Size(17, 9)})
        for (const cv::Size to : {cv::Size(1, 1), cv::Size(16, 3), cv::Size(5, 64)}) {
            const auto covered = coverAndCrop(cv::Mat(from, CV_32FC3, cv::Scalar(0.1, 0.5, 1.0)), to);
            ASSERT_TRUE(covered) << covered.error().message;
            EXPECT_LE(cv::norm(*covered, cv::Mat(to, CV_32FC3, cv::Scalar(0.1, 0.5, 1.0)), cv::NORM_INF), 1e-5);
        }
}

TEST(FitPicture, ResizedPicturesStayInRangeAndInPlace) {
    cv::Mat step(20, 20, CV_32FC3, cv::Scalar::all(0));
    step.colRange(10, 20).setTo(cv::Scalar::all(1));
    const auto resized = resizePicture(step, {47, 31});
    ASSERT_TRUE(resized);
    double low = 0, high = 0;
    cv::minMaxLoc(resized->reshape(1), &low, &high);
    EXPECT_EQ(low, 0);
    EXPECT_EQ(high, 1);
    EXPECT_NEAR(cv::mean(*resized)[0], 0.5, 0.005);
    EXPECT_NEAR(resized->at<cv::Vec3f>(15, 23)[1], 0.5, 0.05) << "the edge stays in the middle";
}

TEST(FitPicture, SameSizeIsACopy) {
    const cv::Mat picture = arithmeticPicture({12, 7});
    const auto same = resizePicture(picture, picture.size());
    ASSERT_TRUE(same);
    EXPECT_EQ(cv::norm(*same, picture, cv::NORM_INF), 0);
    EXPECT_NE(same->data, picture.data);
}

TEST(FitPicture, PadsByMirroringAndCropsBack) {
    const cv::Mat picture = arithmeticPicture({30, 18});
    const auto padded = padToMultiple(picture);
    ASSERT_TRUE(padded) << padded.error().message;
    ASSERT_EQ(padded->size(), cv::Size(32, 32));
    EXPECT_EQ(padded->at<cv::Vec3f>(4, 30), picture.at<cv::Vec3f>(4, 28)) << "the edge pixel is not repeated";
    EXPECT_EQ(padded->at<cv::Vec3f>(31, 31), picture.at<cv::Vec3f>(3, 27));
    const auto back = cropBack(*padded, picture.size());
    ASSERT_TRUE(back);
    EXPECT_EQ(cv::norm(*back, picture, cv::NORM_INF), 0);
}

TEST(FitPicture, PadsPicturesSmallerThanThePad) {
    for (const cv::Size size : {cv::Size(1, 1), cv::Size(3, 5), cv::Size(16, 1)}) {
        const cv::Mat picture = arithmeticPicture(size);
        const auto padded = padToMultiple(picture);
        ASSERT_TRUE(padded) << padded.error().message;
        EXPECT_EQ(padded->size(), cv::Size(16, 16));
        const auto back = cropBack(*padded, size);
        ASSERT_TRUE(back);
        EXPECT_EQ(cv::norm(*back, picture, cv::NORM_INF), 0);
    }
}

TEST(FitPicture, PadsAPartOfAPictureFromThePartAlone) {
    const cv::Mat whole = arithmeticPicture({40, 40});
    const cv::Mat part = whole(cv::Rect(0, 0, 15, 16));
    const auto padded = padToMultiple(part);
    ASSERT_TRUE(padded);
    EXPECT_EQ(padded->at<cv::Vec3f>(2, 15), whole.at<cv::Vec3f>(2, 13));
}

TEST(FitPicture, RefusesWhatItCannotTake) {
    const cv::Mat picture = arithmeticPicture({4, 4});
    EXPECT_EQ(resizePicture(picture, {0, 4}).error().code, StatusCode::BadInput);
    EXPECT_EQ(resizePicture(cv::Mat(), {4, 4}).error().code, StatusCode::BadInput);
    EXPECT_EQ(coverAndCrop(cv::Mat(4, 4, CV_8UC3), {4, 4}).error().code, StatusCode::BadInput);
    EXPECT_EQ(padToMultiple(picture, 0).error().code, StatusCode::BadInput);
    const auto tooLarge = cropBack(picture, {5, 4});
    EXPECT_EQ(tooLarge.error().code, StatusCode::BadInput);
    EXPECT_NE(tooLarge.error().message.find("5x4"), std::string::npos);
}

}  // namespace
}  // namespace reelbrush::imaging
