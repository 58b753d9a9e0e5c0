/// Several processes at one cache folder, and processes that are killed.
#include "tests/engine/cache/test_frames.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

namespace reelbrush::cache::testing {
namespace {

class Processes : public ::testing::Test {
  protected:
    DiskStoreOptions options() const {
        return {.folder = scratch_.path(), .limitBytes = 100 << 20, .segmentBytes = 20'000, .longestChain = 2};
    }
    /// Runs `work` in a process of its own, whose exit code is what it returns.
    template <typename Work>
    static pid_t start(Work work) {
        const pid_t child = fork();
        if (child == 0) _exit(work());
        return child;
    }
    static int exitCodeOf(pid_t child) {
        int status = -1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    reelbrush::testing::ScratchFolder scratch_;
};

TEST_F(Processes, WriteAndReadOneFolderTogether) {
    constexpr int kEach = 120;
    std::vector<pid_t> children;
    for (int process = 0; process < 3; ++process)
        children.push_back(start([&, process] {
            const auto store = openStore(options());
            if (!store) return 1;
            const int from = process * 1000;
            for (int number = from; number < from + kEach; number += 10) {
                if (writeFrames(*store, number, number + 10) != 10) return 2;
                // Own frames are there at once; of others' whatever is there is whole.
                if (countExact(*store, from, number + 10) != number + 10 - from) return 3;
                countExact(*store, (from + 1000) % 3000, (from + 1000) % 3000 + 20);
                if (::testing::Test::HasFailure()) return 4;
            }
            return store->takeNotes().empty() ? 0 : 5;
        }));
    for (const pid_t child : children) EXPECT_EQ(exitCodeOf(child), 0);
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    for (int process = 0; process < 3; ++process)
        EXPECT_EQ(countExact(*store, process * 1000, process * 1000 + kEach), kEach);
}

TEST_F(Processes, ShareATightLimit) {
    auto tight = options();
    tight.limitBytes = 60'000;
    std::vector<pid_t> children;
    for (int process = 0; process < 2; ++process)
        children.push_back(start([&, process] {
            const auto store = openStore(tight);
            if (!store) return 1;
            for (int number = process * 1000; number < process * 1000 + 150; ++number) {
                const TestFrame frame = makeNoise(kSmall, number);
                if (store->write(keyOf(number), frame.view(), {}, std::nullopt) != DiskStore::Written::Yes) return 2;
                if (readFrame(*store, keyOf(number)) != frame.bytes) return 3;  // it is in the segment that is locked
            }
            return store->takeNotes().empty() ? 0 : 4;
        }));
    for (const pid_t child : children) EXPECT_EQ(exitCodeOf(child), 0);
    EXPECT_LE(segmentBytesIn(scratch_.path()), tight.limitBytes);
}

TEST_F(Processes, KilledOnesLoseAtMostTheFrameThatTheyWrote) {
    std::mt19937 random(11);
    int next = 0, killedAmidst = 0;
    for (int round = 0; round < 20; ++round) {
        int told[2];
        ASSERT_EQ(pipe(told), 0);
        const pid_t child = start([&] {
            const auto store = openStore(options());
            if (!store) return 1;
            for (int number = next;; ++number) {
                if (writeFrames(*store, number, number + 1) != 1) return 2;
                if (write(told[1], &number, sizeof number) != sizeof number) return 3;
            }
        });
        close(told[1]);
        int last = next - 1, number = 0;
        while (last < next && read(told[0], &number, sizeof number) == sizeof number) last = number;
        usleep(static_cast<useconds_t>(random() % 30'000));
        kill(child, SIGKILL);
        while (read(told[0], &number, sizeof number) == sizeof number) last = number;
        close(told[0]);
        EXPECT_EQ(exitCodeOf(child), -1);
        ASSERT_GE(last, next) << "round " << round;

        const auto store = openStore(options());
        ASSERT_TRUE(store);
        EXPECT_TRUE(store->takeNotes().empty());
        EXPECT_EQ(countExact(*store, next, last + 1), last + 1 - next) << "round " << round;
        killedAmidst += countExact(*store, last + 1, last + 2) == 0;
        next = last + 2;
    }
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    EXPECT_GE(countExact(*store, 0, next), next - 20);
    EXPECT_EQ(writeFrames(*store, next, next + 5), 5);
    EXPECT_GT(killedAmidst, 0);
}

}  // namespace
}  // namespace reelbrush::cache::testing
