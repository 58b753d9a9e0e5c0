#include "engine/diffusion/batch_frames.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

TEST(BatchFrames, FollowTheSizeAndTheClip) {
    PainterOptions options{.width = 512, .height = 512, .batchFrames = 0};
    EXPECT_EQ(framesAtOnce(options, false), 1);
    EXPECT_EQ(framesAtOnce(options, true), 16);
    options.mostBatchFrames = 3;
    EXPECT_EQ(framesAtOnce(options, true), 3);
    options.mostBatchFrames = 0;
    EXPECT_EQ(framesAtOnce(options, true), 1);
    options.mostBatchFrames = 1000;
    EXPECT_EQ(framesAtOnce(options, true), 16);
    options.width = options.height = 1024;
    EXPECT_EQ(framesAtOnce(options, true), 4);
    options.width = options.height = 4096;
    EXPECT_EQ(framesAtOnce(options, true), 1);
}

TEST(BatchFrames, AreWhatWasAskedForAnywhere) {
    const PainterOptions options{.width = 4096, .height = 4096, .batchFrames = 5};
    EXPECT_EQ(framesAtOnce(options, false), 5);
    EXPECT_EQ(framesAtOnce(options, true), 5);
}

}  // namespace
}  // namespace reelbrush::diffusion
