#include "engine/cache/frame_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace reelbrush::cache {
namespace {

FrameKeyBuilder builder() {
    return {"painting", 1};
}

TEST(FrameKey, IsTheSameForTheSameFields) {
    const auto make = [] { return builder().add("clip", "a.mp4").add("frame", 7).add("strength", 0.4).key(); };
    EXPECT_EQ(make(), make());
    EXPECT_EQ(make().text().size(), 32u);
}

TEST(FrameKey, IsTheSameInEveryRun) {
    // Else a new build would find nothing of what the one before painted, or worse.
    EXPECT_EQ(builder().add("clip", "a.mp4").add("frame", 7).add("keep", true).add("strength", 0.4).key().text(),
              "ddd2b9aa958d2956bf8b430a3f0fb42e");
}

TEST(FrameKey, DiffersWithEveryDifference) {
    const FrameKey inner = builder().add("clip", "x").key();
    const std::byte bytes[] = {std::byte{'a'}};
    std::set<FrameKey> keys;
    const FrameKeyBuilder all[] = {
        builder(),
        FrameKeyBuilder("painting", 2),
        FrameKeyBuilder("latent", 1),
        builder().add("a", "bc"),
        builder().add("ab", "c"),
        builder().add("a", "b").add("c", ""),
        builder().add("c", "").add("a", "b"),
        builder().add("a", "b").add("a", "b"),
        builder().add("a", 1),
        builder().add("a", -1),
        builder().add("a", 1.0),
        builder().add("a", 1.0 + 1e-15),
        builder().add("a", 0.0),
        builder().add("a", -0.0),
        builder().add("a", true),
        builder().add("a", "1"),
        builder().add("a", std::string("1\0", 2)),
        builder().add("a", "a"),
        builder().add("a", std::span<const std::byte>(bytes)),
        builder().add("a", inner),
        builder().add("a", UINT64_MAX),
    };
    for (const FrameKeyBuilder& one : all) keys.insert(one.key());
    EXPECT_EQ(keys.size(), std::size(all));
}

TEST(FrameKey, DoesNotDependOnTheTypeOfWholeNumbers) {
    const FrameKey key = builder().add("a", 5).key();
    EXPECT_EQ(builder().add("a", std::int64_t{5}).key(), key);
    EXPECT_EQ(builder().add("a", std::uint8_t{5}).key(), key);
    EXPECT_EQ(builder().add("a", 5ull).key(), key);
    EXPECT_EQ(builder().add("a", -5).key(), builder().add("a", std::int8_t{-5}).key());
}

}  // namespace
}  // namespace reelbrush::cache
