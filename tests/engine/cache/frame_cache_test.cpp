#include "engine/cache/frame_cache.h"

#include "engine/cache/device_tier.h"
#include "engine/cache/ram_tier.h"
#include "tests/engine/cache/host_device.h"
#include "tests/engine/cache/test_frames.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace reelbrush::cache::testing {
namespace {

using ::testing::HasSubstr;

class Cache : public ::testing::Test {
  protected:
    std::unique_ptr<FrameCache> open(std::size_t framesInRam, bool hasDisk = true, int ahead = 0) {
        FrameCacheOptions options;
        options.tiers = {std::make_shared<RamTier>(framesInRam * kSmall.sizeBytes())};
        if (hasDisk) options.disk = disk_;
        options.prefetchFrames = ahead;
        return opened(std::move(options));
    }
    static std::unique_ptr<FrameCache> opened(FrameCacheOptions options) {
        auto cache = FrameCache::open(std::move(options));
        if (cache) return std::move(*cache);
        ADD_FAILURE() << cache.error().message;
        return nullptr;
    }
    static void paint(FrameCache& cache, int from, int to) {
        for (int number = from; number < to; ++number)
            ASSERT_TRUE(cache.put(keyOf(number), makeFrame(kSmall, number).view(), {.repaintSeconds = 1}, number));
    }
    static bool isExact(FrameCache& cache, int number) {
        const auto frame = cache.get(keyOf(number), number);
        if (!frame) return false;
        std::vector<std::byte> bytes(frame->shape().sizeBytes());
        EXPECT_TRUE(frame->copyTo(bytes));
        EXPECT_EQ(bytes, makeFrame(kSmall, number).bytes) << number;
        return true;
    }
    static std::optional<FrameKey> timeline(std::int64_t place) {
        return place < 0 ? std::nullopt : std::optional(keyOf(static_cast<int>(place)));
    }
    static std::vector<int> activeIn(const FrameCache& cache) {
        std::vector<int> places;
        for (const ActiveFrame& frame : cache.snapshot().active) places.push_back(static_cast<int>(*frame.position));
        return places;
    }

    reelbrush::testing::ScratchFolder scratch_;
    DiskStoreOptions disk_{.folder = scratch_.path() / "frames", .limitBytes = 100 << 20};
};

TEST_F(Cache, GivesBackWhatWasPainted) {
    const auto cache = open(100);
    EXPECT_FALSE(isExact(*cache, 0));
    paint(*cache, 0, 20);
    for (int number = 0; number < 20; ++number) EXPECT_TRUE(isExact(*cache, number));
    const auto frame = cache->get(keyOf(3));
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->tier(), "RAM");
    EXPECT_EQ(frame->notes().repaintSeconds, 1);
    EXPECT_GT(frame->notes().entropyBits, 0);  // estimated
    EXPECT_EQ(frame->hostBytes().size(), kSmall.sizeBytes());
    const CacheSnapshot snapshot = cache->snapshot();
    EXPECT_EQ(snapshot.memoryHits, 21u);
    EXPECT_EQ(snapshot.misses, 1u);
    EXPECT_EQ(snapshot.diskHits, 0u);
}

TEST_F(Cache, KeepsFramesOnDiskBeyondItsMemoryAndForTheNextRun) {
    {
        const auto cache = open(4);
        paint(*cache, 0, 30);
        for (int number = 0; number < 30; ++number) EXPECT_TRUE(isExact(*cache, number)) << number;
        const CacheSnapshot snapshot = cache->snapshot();
        EXPECT_LE(snapshot.active.size(), 4u);
        EXPECT_EQ(snapshot.active.size() + snapshot.swappedFrames, 30u);
        EXPECT_EQ(snapshot.evictedFrames, 0u);
        EXPECT_GT(snapshot.diskHits, 20u);
        EXPECT_LE(snapshot.tiers[0].peakBytes, 4 * kSmall.sizeBytes());
        EXPECT_GT(snapshot.ratio(), 2);
        EXPECT_GT(snapshot.deltasOut, 10u);
        EXPECT_GT(snapshot.bytesIn, 20 * kSmall.sizeBytes());
    }
    const auto cache = open(4);
    for (int number = 0; number < 30; ++number) EXPECT_TRUE(isExact(*cache, number)) << number;
}

TEST_F(Cache, TellsWhereAFrameIs) {
    const auto cache = open(2);
    EXPECT_EQ(cache->stateOf(keyOf(0)), FrameState::Unknown);
    paint(*cache, 0, 3);
    cache->flush();
    EXPECT_EQ(cache->stateOf(keyOf(2)), FrameState::Active);
    EXPECT_EQ(cache->snapshot().active.size(), 2u);
    int swapped = 0;
    for (int number = 0; number < 3; ++number) swapped += cache->stateOf(keyOf(number)) == FrameState::Swapped;
    EXPECT_EQ(swapped, 1);
    ASSERT_TRUE(cache->clear());
    EXPECT_EQ(cache->stateOf(keyOf(2)), FrameState::Evicted);
    EXPECT_FALSE(isExact(*cache, 2));
    EXPECT_EQ(cache->snapshot().diskFrames, 0u);
    EXPECT_THAT(summaryOf(cache->snapshot()), HasSubstr("0 active (RAM 0), 0 swapped"));
    EXPECT_STREQ(nameOf(FrameState::Swapped), "swapped");
}

TEST_F(Cache, WithoutADiskForgetsWhatHasNoRoom) {
    const auto cache = open(3, false);
    paint(*cache, 0, 10);
    const CacheSnapshot snapshot = cache->snapshot();
    EXPECT_EQ(snapshot.active.size(), 3u);
    EXPECT_FALSE(snapshot.hasDisk);
    EXPECT_EQ(snapshot.evictedFrames + snapshot.refused, 7u);
    int evicted = 0;
    for (int number = 0; number < 10; ++number) evicted += cache->stateOf(keyOf(number)) == FrameState::Evicted;
    EXPECT_EQ(evicted, 7);
}

TEST_F(Cache, FramesLargerThanItsMemoryGoToDisk) {
    const auto cache = open(1);
    const TestFrame large = makeFrame({SampleType::Bits16, 80, 60, 3}, 1);
    EXPECT_TRUE(cache->put(keyOf(1), large.view(), {}));
    EXPECT_EQ(cache->stateOf(keyOf(1)), FrameState::Swapped);
    EXPECT_FALSE(cache->get(keyOf(1)));  // nowhere to put it
    EXPECT_EQ(cache->snapshot().refused, 1u);
    EXPECT_EQ(cache->snapshot().tiers[0].heldBytes, 0u);
}

TEST_F(Cache, HeldFramesStayAndNeverCostMoreThanTheBudget) {
    const auto cache = open(2);
    paint(*cache, 0, 2);
    cache->flush();
    const auto one = cache->get(keyOf(0)), other = cache->get(keyOf(1));
    paint(*cache, 2, 8);
    EXPECT_LE(cache->snapshot().tiers[0].peakBytes, 2 * kSmall.sizeBytes());
    EXPECT_EQ(std::vector(one->hostBytes().begin(), one->hostBytes().end()), makeFrame(kSmall, 0).bytes);
    for (int number = 2; number < 8; ++number) EXPECT_EQ(cache->stateOf(keyOf(number)), FrameState::Swapped);
}

TEST_F(Cache, FetchesAheadInTheDirectionOfPlay) {
    {
        const auto cache = open(2);
        paint(*cache, 0, 30);
    }
    const auto cache = open(6, true, 4);
    cache->setTimeline(timeline);
    cache->setPlayhead({10, 1});
    cache->flushPrefetch();
    EXPECT_EQ(activeIn(*cache), (std::vector{11, 12, 13, 14}));
    cache->setPlayhead({20, -1});
    cache->flushPrefetch();
    const auto active = activeIn(*cache);
    for (const int place : {16, 17, 18, 19}) EXPECT_THAT(active, ::testing::Contains(place));
    EXPECT_EQ(active.size(), 6u);
    const CacheSnapshot before = cache->snapshot();
    EXPECT_EQ(before.prefetched, 8u);
    for (const int place : {19, 18, 17, 16}) EXPECT_TRUE(isExact(*cache, place));
    EXPECT_EQ(cache->snapshot().memoryHits - before.memoryHits, 4u);
    EXPECT_EQ(cache->snapshot().diskHits, 0u);
}

TEST_F(Cache, FetchingAheadPassesOverFramesThatAreMissingOrDamaged) {
    {
        const auto cache = open(2);
        for (const int number : {11, 13, 14})
            ASSERT_TRUE(cache->put(keyOf(number), makeFrame(kSmall, number).view(), {.repaintSeconds = 1}, number));
    }
    const auto cache = open(6, true, 4);
    cache->setTimeline(timeline);
    cache->setPlayhead({10, 1});
    cache->flushPrefetch();
    EXPECT_EQ(activeIn(*cache), (std::vector{11, 13, 14}));
}

TEST_F(Cache, FetchesAheadToTheDevice) {
    const auto device = std::make_shared<HostDevice>();
    auto gpu = DeviceTier::make(device, 2 * 3840);
    ASSERT_TRUE(gpu);
    FrameCacheOptions options;
    options.tiers = {std::shared_ptr<CacheTier>(std::move(*gpu)), std::make_shared<RamTier>(20 * kSmall.sizeBytes())};
    options.disk = disk_;
    options.prefetchFrames = 4;
    const auto cache = opened(std::move(options));
    paint(*cache, 0, 10);
    cache->flush();
    cache->setTimeline(timeline);
    cache->setPlayhead({4, 1});
    cache->flushPrefetch();
    const auto next = cache->get(keyOf(5), 5);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->tier(), "GPU");
    EXPECT_TRUE(next->hostBytes().empty());
    EXPECT_NE(next->address(), nullptr);
    for (int number = 0; number < 10; ++number) EXPECT_TRUE(isExact(*cache, number));
    const CacheSnapshot snapshot = cache->snapshot();
    EXPECT_EQ(snapshot.tiers[0].name, "GPU");
    EXPECT_EQ(snapshot.tiers[0].frames, 2u);
    EXPECT_LE(snapshot.tiers[0].peakBytes, 2u * 3840);
}

TEST_F(Cache, AFullDiskIsToldOnceAndMemoryGoesOn) {
    disk_.write = [](int, const std::byte*, std::size_t, std::int64_t) -> std::int64_t {
        errno = ENOSPC;
        return -1;
    };
    const auto cache = open(50);
    paint(*cache, 0, 10);
    cache->flush();
    const auto notes = cache->takeNotes();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_THAT(notes[0], HasSubstr("memory only"));
    for (int number = 0; number < 10; ++number) EXPECT_TRUE(isExact(*cache, number));
    EXPECT_FALSE(cache->snapshot().isDiskWriting);
    EXPECT_THAT(summaryOf(cache->snapshot()), HasSubstr("full"));
}

TEST_F(Cache, AFolderThatCannotBeUsedIsToldAndMemoryGoesOn) {
    disk_.folder = "/proc/no/such/folder";
    const auto cache = open(5);
    ASSERT_TRUE(cache);
    const auto notes = cache->takeNotes();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_THAT(notes[0], HasSubstr("/proc/no/such/folder"));
    paint(*cache, 0, 3);
    EXPECT_TRUE(isExact(*cache, 2));
}

TEST_F(Cache, RefusesWhatIsNoFrameAndNoMemory) {
    const auto cache = open(5);
    const TestFrame frame = makeFrame(kSmall, 1);
    const Status put = cache->put(keyOf(1), {kSmall, std::span(frame.bytes).first(10)}, {});
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().code, StatusCode::BadInput);
    EXPECT_FALSE(FrameCache::open({}));
    FrameCacheOptions options;
    options.tiers = {std::make_shared<RamTier>(0)};
    EXPECT_FALSE(FrameCache::open(std::move(options)));
}

TEST_F(Cache, ServesManyThreads) {
    const auto cache = open(6, true, 4);
    cache->setTimeline(timeline);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            for (int round = 0; round < 60; ++round) {
                const int number = (round * 7 + thread * 5) % 40;
                if (!isExact(*cache, number)) paint(*cache, number, number + 1);
                if (round % 8 == 0) cache->setPlayhead({number, round % 16 ? 1 : -1});
                if (round % 16 == 0) (void)cache->snapshot();
                (void)cache->stateOf(keyOf(number));
            }
        });
    for (std::thread& thread : threads) thread.join();
    cache->flush();
    cache->flushPrefetch();
    const CacheSnapshot snapshot = cache->snapshot();
    EXPECT_LE(snapshot.tiers[0].peakBytes, snapshot.tiers[0].limitBytes);
    EXPECT_EQ(snapshot.damaged, 0u);
    EXPECT_EQ(snapshot.diskFrames, 40u);
    EXPECT_TRUE(cache->takeNotes().empty());
}

}  // namespace
}  // namespace reelbrush::cache::testing
