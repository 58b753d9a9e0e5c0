/// The limit of a cache folder, what goes when it is reached, and disks that are full.
#include "tests/engine/cache/test_frames.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace reelbrush::cache::testing {
namespace {

using ::testing::HasSubstr;
using Written = DiskStore::Written;

/// A frame of noise on disk: its bytes, a record's header, a band's header.
constexpr std::uint64_t kStored = 3600 + 128 + 5;

class Limit : public ::testing::Test {
  protected:
    /// Noise, so that every frame takes the same.
    static Written writeNoise(DiskStore& store, int number, double repaintSeconds = 1) {
        return store.write(keyOf(number), makeNoise(kSmall, number).view(), {.repaintSeconds = repaintSeconds},
                           std::nullopt);
    }
    static bool isThere(DiskStore& store, int number) {
        const auto bytes = readFrame(store, keyOf(number));
        if (bytes.empty()) return false;
        EXPECT_EQ(bytes, makeNoise(kSmall, number).bytes);
        return true;
    }
    DiskStoreOptions options(std::uint64_t limitBytes, std::uint64_t segmentBytes = 64 << 20) const {
        return {.folder = scratch_.path(), .limitBytes = limitBytes, .segmentBytes = segmentBytes};
    }

    reelbrush::testing::ScratchFolder scratch_;
};

TEST_F(Limit, IsNotExceededByAByte) {
    constexpr std::uint64_t kLimit = 50'000;
    const auto store = openStore(options(kLimit));
    ASSERT_TRUE(store);
    for (int number = 0; number < 100; ++number) {
        ASSERT_EQ(writeNoise(*store, number), Written::Yes) << number;
        ASSERT_LE(segmentBytesIn(scratch_.path()), kLimit);
        EXPECT_TRUE(isThere(*store, number));
    }
    EXPECT_GT(segmentBytesIn(scratch_.path()), kLimit / 2);
    EXPECT_GT(store->reading().removedSegments, 10u);
    EXPECT_LE(store->reading().totals.segmentBytes, kLimit);
}

TEST_F(Limit, TwoWritersShareIt) {
    constexpr std::uint64_t kLimit = 60'000;
    const auto one = openStore(options(kLimit)), other = openStore(options(kLimit));
    ASSERT_TRUE(one && other);
    for (int number = 0; number < 60; ++number) {
        EXPECT_EQ(writeNoise(number % 2 ? *one : *other, number), Written::Yes);
        ASSERT_LE(segmentBytesIn(scratch_.path()), kLimit);
    }
    EXPECT_TRUE(isThere(*one, 58));
    EXPECT_TRUE(isThere(*other, 59));
}

TEST_F(Limit, WhatWasNotUsedLongestGoesFirst) {
    const auto store = openStore(options(kStored * 8, 100));  // eight frames, each in a segment of its own
    ASSERT_TRUE(store);
    for (int number = 0; number < 8; ++number) ASSERT_EQ(writeNoise(*store, number), Written::Yes);
    usleep(20'000);  // the index counts in milliseconds
    store->touch(keyOf(0));
    store->touch(keyOf(1));
    ASSERT_EQ(writeNoise(*store, 8), Written::Yes);
    EXPECT_TRUE(isThere(*store, 0));
    EXPECT_TRUE(isThere(*store, 1));
    EXPECT_TRUE(isThere(*store, 8));
    int left = 0;
    for (int number = 2; number < 8; ++number) left += isThere(*store, number);
    EXPECT_EQ(left, 5);
}

TEST_F(Limit, WhatIsCheapToPaintGoesFirst) {
    const auto store = openStore(options(kStored * 8, 100));
    ASSERT_TRUE(store);
    for (int number = 0; number < 8; ++number)
        ASSERT_EQ(writeNoise(*store, number, number == 5 ? 0.01 : 10), Written::Yes);
    ASSERT_EQ(writeNoise(*store, 8), Written::Yes);
    for (int number = 0; number < 9; ++number) EXPECT_EQ(isThere(*store, number), number != 5) << number;
}

TEST_F(Limit, AFrameThatIsLargerThanItIsNotKept) {
    const auto store = openStore(options(3000));
    ASSERT_TRUE(store);
    EXPECT_EQ(writeNoise(*store, 0), Written::NoRoom);
    EXPECT_TRUE(store->reading().isWriting);
    const auto none = openStore(options(0));
    ASSERT_TRUE(none);
    EXPECT_EQ(writeNoise(*none, 0), Written::NoRoom);
}

TEST_F(Limit, ALimitOfOneFrameKeepsTheLast) {
    const auto store = openStore(options(4000));
    ASSERT_TRUE(store);
    for (int number = 0; number < 5; ++number) {
        EXPECT_EQ(writeNoise(*store, number), Written::Yes);
        EXPECT_TRUE(isThere(*store, number));
        EXPECT_LE(segmentBytesIn(scratch_.path()), 4000u);
    }
    EXPECT_EQ(writeFrames(*store, 10, 20), 10);  // differences whose base went meanwhile
    EXPECT_EQ(countExact(*store, 19, 20), 1);
}

TEST_F(Limit, ASmallerOneIsKeptFromTheNextWrite) {
    {
        const auto store = openStore(options(100'000, 8000));
        for (int number = 0; number < 20; ++number) ASSERT_EQ(writeNoise(*store, number), Written::Yes);
    }
    const auto store = openStore(options(20'000));
    EXPECT_EQ(writeNoise(*store, 20), Written::Yes);
    EXPECT_LE(segmentBytesIn(scratch_.path()), 20'000u);
}

TEST_F(Limit, AFullDiskEndsWritingWithOneSentence) {
    auto how = options(1 << 20);
    std::int64_t room = 8000;
    how.write = [&room](int file, const std::byte* bytes, std::size_t count, std::int64_t offset) -> std::int64_t {
        if (room == 0) {
            errno = ENOSPC;
            return -1;
        }
        const auto some = static_cast<std::size_t>(std::min(room, static_cast<std::int64_t>(count)));
        room -= static_cast<std::int64_t>(some);
        return ::pwrite(file, bytes, some, offset);
    };
    const auto store = openStore(how);
    ASSERT_TRUE(store);
    EXPECT_EQ(writeNoise(*store, 0), Written::Yes);
    EXPECT_EQ(writeNoise(*store, 1), Written::Yes);
    EXPECT_EQ(writeNoise(*store, 2), Written::Off);
    room = 1 << 20;  // it does not come back by itself
    EXPECT_EQ(writeNoise(*store, 3), Written::Off);
    const auto notes = store->takeNotes();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_THAT(notes[0], HasSubstr("No space left on device"));
    EXPECT_THAT(notes[0], HasSubstr("stops writing"));
    EXPECT_FALSE(store->reading().isWriting);
    EXPECT_TRUE(isThere(*store, 0));
    EXPECT_TRUE(isThere(*store, 1));
    EXPECT_FALSE(isThere(*store, 2));
    EXPECT_EQ(segmentBytesIn(scratch_.path()), 2 * kStored);  // nothing of the third is left on the full disk
}

TEST_F(Limit, TheSystemsOwnLimitOfFilesEndsWritingToo) {
    const auto store = openStore(options(8 << 20));
    ASSERT_TRUE(store);
    ASSERT_EQ(writeNoise(*store, 0), Written::Yes);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{300'000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    int written = 0;
    for (int number = 1; number < 120; ++number) written += writeNoise(*store, number) == Written::Yes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, oldHandler);
    EXPECT_GT(written, 20);
    EXPECT_LT(written, 90);
    EXPECT_EQ(store->takeNotes().size(), 1u);
    for (int number = 0; number <= written; ++number) EXPECT_TRUE(isThere(*store, number)) << number;
    const auto again = openStore(options(8 << 20));
    ASSERT_TRUE(again);
    EXPECT_EQ(writeNoise(*again, 200), Written::Yes);
}

}  // namespace
}  // namespace reelbrush::cache::testing
