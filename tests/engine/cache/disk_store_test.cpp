#include "engine/cache/disk_store.h"

#include "tests/engine/cache/test_frames.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace reelbrush::cache::testing {
namespace {

class Store : public ::testing::Test {
  protected:
    DiskStoreOptions options() const { return {.folder = scratch_.path() / "frames", .limitBytes = 100 << 20}; }

    reelbrush::testing::ScratchFolder scratch_;
};

TEST_F(Store, KeepsEveryFormatAcrossRuns) {
    std::vector<TestFrame> frames;
    for (const SampleType type :
         {SampleType::Bits8, SampleType::Bits10, SampleType::Bits16, SampleType::Float16, SampleType::Float32})
        for (const int channels : {3, 4}) frames.push_back(makeNoise({type, 37, 23, channels}, channels));
    frames.push_back(makeNoise({SampleType::Float16, 9, 5, 16}, 1));
    {
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        for (std::size_t i = 0; i < frames.size(); ++i)
            EXPECT_EQ(
                store->write(keyOf(static_cast<int>(i)), frames[i].view(),
                             {.quality = FrameQuality::Coarse, .repaintSeconds = 2.5, .entropyBits = 3}, std::nullopt),
                DiskStore::Written::Yes);
    }
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const FrameKey key = keyOf(static_cast<int>(i));
        const auto stored = store->find(key);
        ASSERT_TRUE(stored);
        EXPECT_EQ(stored->record.shape, frames[i].shape);
        EXPECT_EQ(stored->record.notes.quality, FrameQuality::Coarse);
        EXPECT_EQ(stored->record.notes.repaintSeconds, 2.5);
        EXPECT_EQ(stored->record.notes.entropyBits, 3);
        EXPECT_EQ(readFrame(*store, key), frames[i].bytes);
    }
    EXPECT_FALSE(store->find(keyOf(999)));
    EXPECT_EQ(store->reading().totals.frames, frames.size());
    EXPECT_EQ(store->reading().totals.coarseFrames, frames.size());
    EXPECT_TRUE(store->takeNotes().empty());
}

TEST_F(Store, WritesDifferencesInShortChains) {
    auto how = options();
    how.longestChain = 2;
    const auto store = openStore(how);
    ASSERT_TRUE(store);
    EXPECT_EQ(store->nextBase(kSmall), std::nullopt);
    EXPECT_EQ(writeFrames(*store, 0, 9), 9);
    EXPECT_EQ(store->reading().deltasOut, 6u);
    const int chains[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    for (int number = 0; number < 9; ++number) EXPECT_EQ(store->find(keyOf(number))->record.chain, chains[number]);
    EXPECT_EQ(countExact(*store, 0, 9), 9);
    // Bases of another shape, or of frames that are not the last, are not used.
    EXPECT_EQ(store->nextBase({SampleType::Bits8, 40, 31, 3}), std::nullopt);
    const TestFrame frame = makeFrame(kSmall, 20), other = makeFrame(kSmall, 19);
    EXPECT_EQ(store->write(keyOf(20), frame.view(), {}, BaseFrame{keyOf(3), other.bytes}), DiskStore::Written::Yes);
    EXPECT_EQ(store->find(keyOf(20))->record.chain, 0);
    EXPECT_EQ(readFrame(*store, keyOf(20)), frame.bytes);
}

TEST_F(Store, TakesBasesFromMemoryWhereTheyAre) {
    auto how = options();
    how.longestChain = 2;
    const auto store = openStore(how);
    ASSERT_TRUE(store);
    writeFrames(*store, 0, 3);
    std::vector<FrameKey> asked;
    const auto base = [&](const FrameKey& key, const FrameShape& shape, std::span<std::byte> bytes) {
        asked.push_back(key);
        std::ranges::copy(makeFrame(shape, 1).bytes, bytes.begin());
        return true;
    };
    const auto before = store->reading().packedBytesIn;
    EXPECT_EQ(readFrame(*store, keyOf(2), base), makeFrame(kSmall, 2).bytes);
    EXPECT_EQ(asked, std::vector{keyOf(1)});
    EXPECT_LT(store->reading().packedBytesIn - before, store->find(keyOf(0))->record.payloadBytes);
}

TEST_F(Store, WithoutChainsWritesKeyFramesOnly) {
    auto how = options();
    how.longestChain = 0;
    const auto store = openStore(how);
    ASSERT_TRUE(store);
    writeFrames(*store, 0, 4);
    EXPECT_EQ(store->reading().deltasOut, 0u);
    EXPECT_EQ(countExact(*store, 0, 4), 4);
}

TEST_F(Store, ReplacesAFrameThatIsPaintedAgain) {
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    writeFrames(*store, 0, 3);
    const TestFrame finer = makeNoise(kSmall, 1);
    EXPECT_EQ(store->write(keyOf(0), finer.view(), {}, std::nullopt), DiskStore::Written::Yes);
    EXPECT_EQ(readFrame(*store, keyOf(0)), finer.bytes);
    EXPECT_EQ(countExact(*store, 1, 3), 2);  // differences to what it was before
    EXPECT_EQ(store->reading().totals.frames, 3u);
}

TEST_F(Store, GoesOnInTheSegmentOfTheRunBefore) {
    for (int run = 0; run < 5; ++run) {
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        EXPECT_EQ(writeFrames(*store, 3 * run, 3 * run + 3), 3);
    }
    EXPECT_EQ(segmentsIn(options().folder).size(), 1u);
    const auto store = openStore(options());
    EXPECT_EQ(countExact(*store, 0, 15), 15);
}

TEST_F(Store, ClearRemovesAllFramesAndGoesOn) {
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    writeFrames(*store, 0, 5);
    const auto left = store->clear();
    ASSERT_TRUE(left);
    EXPECT_EQ(*left, 0u);
    EXPECT_TRUE(segmentsIn(options().folder).empty());
    EXPECT_EQ(countExact(*store, 0, 5), 0);
    EXPECT_EQ(writeFrames(*store, 0, 5), 5);
    EXPECT_EQ(countExact(*store, 0, 5), 5);
}

TEST_F(Store, ClearLeavesWhatAnotherIsWriting) {
    const auto writer = openStore(options()), other = openStore(options());
    ASSERT_TRUE(writer && other);
    writeFrames(*writer, 0, 4);
    EXPECT_EQ(countExact(*other, 0, 4), 4);
    const auto left = other->clear();
    ASSERT_TRUE(left);
    EXPECT_EQ(*left, 1u);
    EXPECT_EQ(countExact(*writer, 0, 4), 4);
}

TEST_F(Store, AFolderThatCannotBeMadeIsTold) {
    const auto file = scratch_.path() / "file";
    std::ofstream(file) << "no folder";
    const auto store = DiskStore::open({.folder = file / "frames", .limitBytes = 1 << 20});
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, StatusCode::Io);
    EXPECT_NE(store.error().message.find((file / "frames").string()), std::string::npos);
}

TEST_F(Store, TenThousandFramesAreIndexedAndFoundAgain) {
    const FrameShape tiny{SampleType::Bits8, 4, 4, 3};
    constexpr int kFrames = 10'000;
    {
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        EXPECT_EQ(writeFrames(*store, 0, kFrames, tiny), kFrames);
    }
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    EXPECT_EQ(store->reading().totals.frames, static_cast<std::uint64_t>(kFrames));
    for (int number = 0; number < kFrames; number += 7) ASSERT_TRUE(store->find(keyOf(number)));
    EXPECT_EQ(countExact(*store, 9'000, 9'100, tiny), 100);
}

}  // namespace
}  // namespace reelbrush::cache::testing
