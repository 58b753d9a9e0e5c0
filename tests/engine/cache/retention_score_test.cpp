#include "engine/cache/retention_score.h"

#include <gtest/gtest.h>

namespace reelbrush::cache {
namespace {

TEST(Distance, CountsWhatLiesBehindThePlayheadThreefold) {
    EXPECT_EQ(distanceFrames({100, 1}, 110), 10);
    EXPECT_EQ(distanceFrames({100, 1}, 90), 30);
    EXPECT_EQ(distanceFrames({100, -1}, 90), 10);
    EXPECT_EQ(distanceFrames({100, -1}, 110), 30);
    EXPECT_EQ(distanceFrames({100, 0}, 90), 10);
    EXPECT_EQ(distanceFrames({100, 0}, 110), 10);
    EXPECT_EQ(distanceFrames({100, 1}, 100), 0);
}

TEST(Distance, OfFramesWithoutAPlaceIsFar) {
    EXPECT_GT(distanceFrames({100, 1}, std::nullopt), distanceFrames({100, 1}, 500));
}

TEST(Worth, GrowsWithWhatPaintingAgainCosts) {
    const MemoryStanding cheap{.repaintSeconds = 0.1, .sizeBytes = 1e6}, dear{.repaintSeconds = 2, .sizeBytes = 1e6};
    EXPECT_LT(memoryWorth(cheap), memoryWorth(dear));
    EXPECT_LT(diskWorth(0.1, 1e6, 60), diskWorth(2, 1e6, 60));
}

TEST(Worth, GrowsWithInformationOnDisk) {
    // What says little comes back quickly.
    const MemoryStanding plain{.entropyBits = 1, .sizeBytes = 1e6, .isOnDisk = true};
    const MemoryStanding rich{.entropyBits = 7, .sizeBytes = 1e6, .isOnDisk = true};
    EXPECT_LT(memoryWorth(plain), memoryWorth(rich));
}

TEST(Worth, OfFramesThatAreNowhereElseIsHigher) {
    MemoryStanding frame{.repaintSeconds = 0.3, .entropyBits = 6, .sizeBytes = 6e6, .isOnDisk = true};
    const double onDisk = memoryWorth(frame);
    frame.isOnDisk = false;
    EXPECT_GT(memoryWorth(frame), 5 * onDisk);
    frame.repaintSeconds = 0;  // nobody told: no less than a frame on disk
    EXPECT_EQ(memoryWorth(frame), onDisk);
}

TEST(Worth, HalvesWith24FramesOfDistance) {
    const MemoryStanding here{.repaintSeconds = 1, .sizeBytes = 1e6};
    MemoryStanding there = here;
    there.distanceFrames = 24;
    EXPECT_DOUBLE_EQ(memoryWorth(here), 2 * memoryWorth(there));
}

TEST(Worth, IsAByte) {
    const MemoryStanding small{.repaintSeconds = 1, .sizeBytes = 1e6}, large{.repaintSeconds = 1, .sizeBytes = 4e6};
    EXPECT_DOUBLE_EQ(memoryWorth(small), 4 * memoryWorth(large));
    EXPECT_DOUBLE_EQ(diskWorth(1, 1e6, 0), 4 * diskWorth(1, 4e6, 0));
}

TEST(Worth, OnDiskFallsWithTheTimeSinceTheLastUse) {
    EXPECT_GT(diskWorth(1, 1e6, 0), diskWorth(1, 1e6, 60));
    EXPECT_DOUBLE_EQ(diskWorth(1, 1e6, 0), 2 * diskWorth(1, 1e6, 86'400));
    EXPECT_GT(diskWorth(0, 1e6, 0), diskWorth(0, 1e6, 60));  // also where nobody told the cost
    EXPECT_EQ(diskWorth(1, 1e6, -5), diskWorth(1, 1e6, 0));  // a clock that was set back
}

}  // namespace
}  // namespace reelbrush::cache
