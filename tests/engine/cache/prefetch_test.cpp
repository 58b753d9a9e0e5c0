#include "engine/cache/prefetcher.h"
#include "tests/engine/cache/test_frames.h"

#include <gtest/gtest.h>

namespace reelbrush::cache::testing {
namespace {

using Places = std::vector<std::int64_t>;

TEST(PlacesAhead, FollowTheDirectionOfPlay) {
    EXPECT_EQ(placesAhead({10, 1}, 3), (Places{11, 12, 13}));
    EXPECT_EQ(placesAhead({10, -1}, 3), (Places{9, 8, 7}));
    EXPECT_EQ(placesAhead({10, 0}, 4), (Places{11, 9, 12, 8}));
    EXPECT_EQ(placesAhead({10, 0}, 3), (Places{11, 9, 12}));
    EXPECT_EQ(placesAhead({10, 1}, 0), Places{});
}

/// What was fetched, in order.
class Fetched {
  public:
    bool fetch(std::int64_t place) {
        const std::lock_guard lock(mutex_);
        places_.push_back(place);
        return place != refused_;
    }
    Places take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(places_, {});
    }
    void refuse(std::int64_t place) { refused_ = place; }

  private:
    std::mutex mutex_;
    Places places_;
    std::atomic<std::int64_t> refused_ = -1000;
};

TEST(Prefetcher, FetchesAheadOfThePlayhead) {
    Fetched fetched;
    Prefetcher prefetcher(3, [&](const FrameKey&, std::int64_t place) { return fetched.fetch(place); });
    prefetcher.setPlayhead({5, 1});
    prefetcher.flush();
    EXPECT_EQ(fetched.take(), Places{});  // nobody said what is where
    prefetcher.setTimeline(
        [](std::int64_t place) { return place < 0 ? std::nullopt : std::optional(keyOf(int(place))); });
    prefetcher.flush();
    EXPECT_EQ(fetched.take(), (Places{6, 7, 8}));
    prefetcher.setPlayhead({2, -1});
    prefetcher.flush();
    EXPECT_EQ(fetched.take(), (Places{1, 0}));  // before the beginning there is nothing
    fetched.refuse(21);
    prefetcher.setPlayhead({20, 1});
    prefetcher.flush();
    EXPECT_EQ(fetched.take(), (Places{21}));  // no room: those behind it are not tried
}

TEST(Prefetcher, BeginsAgainWhereThePlayheadGoes) {
    std::mutex mutex;
    std::condition_variable changed;
    bool isFetching = false, mayGoOn = false;
    Places places;
    Prefetcher prefetcher(10, [&](const FrameKey&, std::int64_t place) {
        std::unique_lock lock(mutex);
        places.push_back(place);
        isFetching = true;
        changed.notify_all();
        changed.wait(lock, [&] { return mayGoOn; });
        return true;
    });
    prefetcher.setTimeline([](std::int64_t place) { return std::optional(keyOf(static_cast<int>(place))); });
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return isFetching; });
    }
    prefetcher.setPlayhead({100, 1});
    {
        const std::lock_guard lock(mutex);
        mayGoOn = true;
    }
    changed.notify_all();
    prefetcher.flush();
    ASSERT_EQ(places.size(), 11u);
    EXPECT_EQ(places[0], 1);
    EXPECT_EQ(places[1], 101);
    EXPECT_EQ(places[10], 110);
}

}  // namespace
}  // namespace reelbrush::cache::testing
