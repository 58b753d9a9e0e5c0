#include "kernels/cpu/attention_tile.h"

#include <algorithm>

namespace reelbrush::kernels {

namespace {

constexpr std::int64_t kWidestVector = 16;  // floats
constexpr std::int64_t kWidestPanel = 48;   // keys, a multiple of every target's panel
constexpr std::int64_t kMostRows = 8;       // queries that a micro-kernel holds at once
constexpr std::int64_t kMostKeys = 384;     // their scores fill a quarter of the first cache
constexpr std::int64_t kMostQueries = 1024;
constexpr std::int64_t kTileFloats = 48 * 1024;   // packed keys and values
constexpr std::int64_t kQueryFloats = 64 * 1024;  // packed queries

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

AttentionTiling::AttentionTiling(int head, std::int64_t queries, std::int64_t longestSegment)
    : headSize(head), paddedHead(roundUp(head, kWidestVector)) {
    const std::int64_t fitting = kTileFloats / (headSize + paddedHead) / kWidestPanel * kWidestPanel;
    keysPerTile = std::min(std::clamp(fitting, kWidestPanel, kMostKeys), roundUp(longestSegment, kWidestPanel));
    // A multiple of 8 and of 6, the row counts of the micro-kernels.
    constexpr std::int64_t kRowStep = 24;
    queriesPerItem = std::clamp(kQueryFloats / headSize, std::int64_t{64}, kMostQueries) / kRowStep * kRowStep;
    queriesPerItem = std::min(queriesPerItem, roundUp(queries, kRowStep));
}

std::int64_t AttentionTiling::packedQueries() const {
    return roundUp((queriesPerItem + kMostRows) * headSize, kWidestVector);
}

std::int64_t AttentionTiling::scores() const {
    return kMostRows * keysPerTile;
}

std::int64_t AttentionTiling::scratchFloats() const {
    const std::int64_t spareRow = paddedHead;
    return packedQueries() + packedKeys() + packedValues() + scores() + roundUp(states(), kWidestVector) + spareRow;
}

}  // namespace reelbrush::kernels
