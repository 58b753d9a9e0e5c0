#include "engine/render/painting_size.h"

#include <gtest/gtest.h>

namespace reelbrush::render {
namespace {

TEST(PaintingSize, IsPaddedToSixteenAndAtLeastThirtyTwo) {
    EXPECT_EQ(paintingSize({512, 288}), cv::Size(512, 288));
    EXPECT_EQ(paintingSize({513, 287}), cv::Size(528, 288));
    EXPECT_EQ(paintingSize({1, 1}), cv::Size(32, 32));
    EXPECT_EQ(paintingSize({17, 33}), cv::Size(32, 48));
    for (const cv::Size size : {cv::Size(3, 500), cv::Size(500, 3), cv::Size(16, 16), cv::Size(64, 48)}) {
        const cv::Size painted = paintingSize(size);
        EXPECT_GE(painted.width, std::max(size.width, 32));
        EXPECT_GE(painted.height, std::max(size.height, 32));
        EXPECT_EQ(painted.width % 16, 0);
        EXPECT_EQ(painted.height % 16, 0);
    }
}

TEST(PaintingSize, RefusesAbsurdSizes) {
    EXPECT_TRUE(checkSize({1, kMaxSide}));
    for (const cv::Size size : {cv::Size(0, 10), cv::Size(10, 0), cv::Size(-5, 10), cv::Size(kMaxSide + 1, 10)}) {
        const Status status = checkSize(size);
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, StatusCode::BadInput);
        EXPECT_NE(status.error().message.find(std::to_string(size.width) + "x"), std::string::npos);
    }
}

}  // namespace
}  // namespace reelbrush::render
