#include "engine/imaging/structure_image.h"

#include "engine/weights/safetensors_file.h"
#include "tests/engine/imaging/synthetic_picture.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <opencv2/core.hpp>
#include <string>

namespace reelbrush::imaging {
namespace {

/// A picture [1,3,H,W] F32 of the starter's reference values, as [H,W,3].
cv::Mat goldenPicture(const weights::SafetensorsFile& golden, const std::string& name) {
    const weights::TensorInfo* info = golden.find(name);
    if (!info || info->shape.size() != 4) return {};
    const auto bytes = golden.bytesOf(*info);
    cv::Mat planes[3], picture;
    const int height = static_cast<int>(info->shape[2]), width = static_cast<int>(info->shape[3]);
    for (int c = 0; c < 3; ++c) {
        planes[c].create(height, width, CV_32F);
        const std::size_t planeBytes = planes[c].total() * sizeof(float);
        std::memcpy(planes[c].data, bytes.data() + c * planeBytes, planeBytes);
    }
    cv::merge(planes, 3, picture);
    return picture;
}

struct GoldenCase {
    const char* tag;
    StructureOptions options;
};

class StructureImageGolden : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(StructureImageGolden, MatchesTheReference) {
    const auto golden = weights::SafetensorsFile::open(testing::starterGolden());
    ASSERT_TRUE(golden) << golden.error().message;
    const std::string tag = GetParam().tag;
    const cv::Mat content = goldenPicture(**golden, tag + ".content");
    const cv::Mat expected = goldenPicture(**golden, tag + ".structure");
    const auto actual = structureImage(content, GetParam().options);
    ASSERT_TRUE(actual) << actual.error().message;
    ASSERT_EQ(actual->size(), expected.size());
    ASSERT_EQ(actual->type(), CV_32FC3);
    const double worst = cv::norm(*actual, expected, cv::NORM_INF);
    RecordProperty("max_error", std::to_string(worst));
    std::printf("structure image %s: max error %.2e\n", tag.c_str(), worst);
    EXPECT_LE(worst, 1e-5);
    EXPECT_GT(cv::norm(content, expected, cv::NORM_INF), 0.05) << "the reference differs from the content itself";
}

INSTANTIATE_TEST_SUITE_P(Tags, StructureImageGolden,
                         ::testing::Values(GoldenCase{"a", {0.45, false}}, GoldenCase{"b", {0.2, true}},
                                           GoldenCase{"lora", {0.6, false}}),
                         [](const auto& shown) { return std::string(shown.param.tag); });

TEST(StructureImage, KeepsTheColourOfAFlatPictureOfAnySize) {
    for (const cv::Size size : {cv::Size(1, 1), cv::Size(3, 5), cv::Size(1, 40), cv::Size(33, 2)}) {
        const cv::Mat flat(size, CV_32FC3, cv::Scalar(0.2, 0.5, 0.9));
        for (const double freedom : {0.0, 1.0}) {
            const auto coloured = structureImage(flat, {freedom, true});
            ASSERT_TRUE(coloured) << coloured.error().message;
            EXPECT_LE(cv::norm(*coloured, flat, cv::NORM_INF), 1e-5) << size;
            const auto grey = structureImage(flat, {freedom, false});
            ASSERT_TRUE(grey) << grey.error().message;
            const double luma = 0.299 * 0.2 + 0.587 * 0.5 + 0.114 * 0.9;
            EXPECT_LE(cv::norm(*grey, cv::Mat(size, CV_32FC3, cv::Scalar::all(luma)), cv::NORM_INF), 1e-5) << size;
        }
    }
}

TEST(StructureImage, MoreFreedomThrowsMoreAway) {
    const cv::Mat scene = testing::blobScene({96, 64}, 3);
    double last = 1e9;
    for (const double freedom : {0.0, 0.3, 0.6, 1.0}) {
        const auto structure = structureImage(scene, {freedom, false});
        ASSERT_TRUE(structure);
        cv::Scalar mean, deviation;
        cv::meanStdDev(*structure, mean, deviation);
        EXPECT_LT(deviation[0], last);
        last = deviation[0];
    }
}

TEST(StructureImage, RefusesWhatItCannotTake) {
    EXPECT_EQ(structureImage({}).error().code, StatusCode::BadInput);
    EXPECT_EQ(structureImage(cv::Mat(4, 4, CV_8UC3)).error().code, StatusCode::BadInput);
    const cv::Mat picture(4, 4, CV_32FC3, cv::Scalar::all(0));
    EXPECT_EQ(structureImage(picture, {1.5, false}).error().code, StatusCode::BadInput);
    EXPECT_EQ(structureImage(picture, {std::nan(""), false}).error().code, StatusCode::BadInput);
}

}  // namespace
}  // namespace reelbrush::imaging
