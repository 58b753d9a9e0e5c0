#include "kernels/plan/ring_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace reelbrush::kernels {
namespace {

constexpr std::size_t kKiB = 1024;

/// Plays the sequence: an item comes as soon as what it waits for has been used, and must lie untouched until it is
/// used itself. Returns how many bytes lay ahead of their use at most.
std::size_t play(const std::vector<std::size_t>& sizes, std::size_t ringBytes) {
    const std::vector<RingPlace> places = layOutRing(sizes, ringBytes);
    EXPECT_EQ(places.size(), sizes.size());
    std::vector<std::size_t> there;  // items that came and were not used yet
    std::size_t coming = 0, most = 0;
    for (std::size_t used = 0; used < sizes.size(); ++used) {
        for (; coming < sizes.size() && (places[coming].after == RingPlace::kNone || places[coming].after < used);
             ++coming) {
            EXPECT_LE(places[coming].offset + sizes[coming], ringBytes);
            EXPECT_EQ(places[coming].offset % kRingAlignment, 0u);
            for (const std::size_t other : there)
                EXPECT_TRUE(places[coming].offset + sizes[coming] <= places[other].offset ||
                            places[other].offset + sizes[other] <= places[coming].offset)
                    << coming << " is written over " << other << ", which was not used yet";
            there.push_back(coming);
        }
        std::size_t bytes = 0;
        for (const std::size_t item : there) bytes += sizes[item];
        most = std::max(most, bytes);
        EXPECT_EQ(std::ranges::count(there, used), 1) << used << " is not there when it is used";
        std::erase(there, used);
    }
    return most;
}

TEST(RingLayout, NothingIsOverwrittenBeforeItWasUsed) {
    std::uint32_t state = 7;
    const auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 16; };
    for (int round = 0; round < 200; ++round) {
        std::vector<std::size_t> sizes;
        for (std::uint32_t i = 0; i < 1 + random() % 60; ++i) sizes.push_back(1 + random() % (40 * kKiB));
        const std::size_t largest = std::ranges::max(sizes);
        play(sizes, largest + random() % (100 * kKiB));
        play(sizes, largest);
    }
}

TEST(RingLayout, WhatFitsComesAtOnce) {
    for (const RingPlace& place : layOutRing(std::vector<std::size_t>{4 * kKiB, 100, 8 * kKiB}, 16 * kKiB))
        EXPECT_EQ(place.after, RingPlace::kNone);
}

TEST(RingLayout, CopiesRunAsFarAheadAsTheRingIsLarge) {
    const std::vector<std::size_t> sizes(50, 10 * kKiB);
    EXPECT_EQ(play(sizes, 10 * kKiB), 10 * kKiB);
    EXPECT_EQ(play(sizes, 20 * kKiB), 20 * kKiB);
    EXPECT_EQ(play(sizes, 75 * kKiB), 70 * kKiB);
}

TEST(RingLayout, NothingAtAll) {
    EXPECT_TRUE(layOutRing({}, kKiB).empty());
}

}  // namespace
}  // namespace reelbrush::kernels
