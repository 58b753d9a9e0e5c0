#include "engine/render/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace reelbrush::render {
namespace {

TEST(BoundedQueue, KeepsOrderAcrossThreads) {
    BoundedQueue<int> queue(2);
    std::jthread writer([&] {
        for (int i = 0; i < 1000; ++i) EXPECT_TRUE(queue.push(i));
        queue.close();
    });
    int expected = 0;
    while (const auto item = queue.pop()) EXPECT_EQ(*item, expected++);
    EXPECT_EQ(expected, 1000);
}

TEST(BoundedQueue, NeverHoldsMoreThanItsCapacity) {
    BoundedQueue<int> queue(3);
    std::atomic<int> pushed{0};
    std::jthread writer([&] {
        for (int i = 0; i < 50; ++i) {
            if (!queue.push(i)) return;
            ++pushed;
        }
        queue.close();
    });
    int popped = 0;
    while (queue.pop()) {
        ++popped;
        EXPECT_LE(queue.size(), 3u);
        EXPECT_LE(pushed.load(), popped + 3 + 1);
    }
    EXPECT_EQ(popped, 50);
}

TEST(BoundedQueue, CloseLetsWhatWaitsBeRead) {
    BoundedQueue<int> queue(4);
    EXPECT_TRUE(queue.push(1));
    EXPECT_TRUE(queue.push(2));
    queue.close();
    EXPECT_FALSE(queue.push(3));
    EXPECT_EQ(queue.pop(), 1);
    EXPECT_EQ(queue.pop(), 2);
    EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, CancelDropsWhatWaitsAndFreesIt) {
    BoundedQueue<std::shared_ptr<int>> queue(4);
    auto item = std::make_shared<int>(7);
    const std::weak_ptr<int> watched = item;
    EXPECT_TRUE(queue.push(std::move(item)));
    queue.cancel();
    EXPECT_TRUE(watched.expired());
    EXPECT_FALSE(queue.pop());
    EXPECT_FALSE(queue.push(std::make_shared<int>(8)));
}

TEST(BoundedQueue, CancelLetsBothSidesGo) {
    BoundedQueue<int> full(1), empty(1);
    EXPECT_TRUE(full.push(0));
    std::jthread writer([&] { EXPECT_FALSE(full.push(1)); });
    std::jthread reader([&] { EXPECT_FALSE(empty.pop()); });
    full.cancel();
    empty.cancel();
}

}  // namespace
}  // namespace reelbrush::render
