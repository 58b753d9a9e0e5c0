#pragma once

#include "kernels/cuda/attention_hopper.h"
#include "kernels/cuda/tile_copy.cuh"
#include "kernels/cuda/warpgroup_product.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace reelbrush::kernels {

/// How the work of a block is divided: each of its warpgroups attends from 64 queries of one sample and head to all
/// keys, which one thread of the first warpgroup brings to shared memory in tiles.
struct HopperLayout {
    int warpgroups;
    int tileKeys;  ///< a multiple of 16 for which warpgroup_product.cuh has a product
    int stages;    ///< tiles in shared memory; at least 3, or 2 of a single warpgroup
    int blocksOnMultiprocessor;
    bool takesTurns;  ///< the warpgroups begin their products one after the other

    constexpr int rows() const { return 64 * warpgroups; }
    constexpr int threads() const { return 128 * warpgroups; }
};

constexpr int kBoxChannels = 64;

/// What lies where in the shared memory of a block.
template <int kHead, typename Layout>
struct HopperShared {
    static constexpr int kBoxes = (kHead + kBoxChannels - 1) / kBoxChannels;
    static constexpr int kBoxBytes = Layout::kLayout.tileKeys * kBoxChannels * 2;
    static constexpr int kTileBytes = kBoxes * kBoxBytes;
    static constexpr int kStages = Layout::kLayout.stages;
    static constexpr int kBarrierBytes = 2 * kStages * 8;
    static constexpr int kAlignment = 1024;
    /// Of the stages, keys and values; behind them the barriers. What is asked for leaves room to align it.
    static constexpr int kStageBytes = 2 * kTileBytes;
    static constexpr int kBytes = kStages * kStageBytes + kBarrierBytes + kAlignment;

    std::uint32_t address;  ///< aligned

    __device__ explicit HopperShared(const unsigned char* shared)
        : address((sharedAddress(shared) + kAlignment - 1) / kAlignment * kAlignment) {}
    __device__ std::uint32_t keys(int stage) const { return address + stage * kStageBytes; }
    __device__ std::uint32_t values(int stage) const { return keys(stage) + kTileBytes; }
    /// Ends a phase when a tile is there, and when all warps are done with it.
    __device__ std::uint32_t filled(int stage) const { return address + kStages * kStageBytes + stage * 8; }
    __device__ std::uint32_t emptied(int stage) const { return filled(stage) + kStages * 8; }
};

/// The tiles of all segments in order, and the stages they pass through.
template <typename Layout>
struct HopperTiles {
    const AttentionProblem& problem;
    int segment = 0, firstKey = 0;
    int stage = 0;
    unsigned parity = 0;

    __device__ bool isAtEnd() const { return segment == problem.segmentCount; }
    /// Keys from the tile's first to the end of the segment.
    __device__ int keysLeft() const { return problem.segments[segment].tokens - firstKey; }
    __device__ void advance() {
        firstKey += Layout::kLayout.tileKeys;
        if (firstKey >= problem.segments[segment].tokens) {
            ++segment;
            firstKey = 0;
        }
        if (++stage == Layout::kLayout.stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/// Which queries of what a block attends from.
template <typename Layout>
struct HopperItem {
    static constexpr int kRows = Layout::kLayout.rows();
    int firstRow, head, sample;

    __device__ explicit HopperItem(const AttentionProblem& problem) {
        const unsigned rowBlocks = (problem.queries + kRows - 1) / kRows;
        firstRow = static_cast<int>(blockIdx.x % rowBlocks) * kRows;
        head = static_cast<int>(blockIdx.x / rowBlocks) % problem.heads;
        sample = static_cast<int>(blockIdx.x / rowBlocks) / problem.heads;
    }
};

/// Brings the tiles, one after the other. Thread: always the same one of the block.
template <int kHead, typename Layout>
class HopperCourier {
  public:
    using Shared = HopperShared<kHead, Layout>;

    __device__ HopperCourier(const AttentionProblem& problem, const AttentionMaps& maps, const HopperItem<Layout>& item,
                             const Shared& shared)
        : problem_(problem), maps_(maps), item_(item), shared_(shared), tiles_{problem} {}

    /// Waits until all warps are done with what the stage held, and begins to copy the next tile, if there is one.
    __device__ void bringNext() {
        if (tiles_.isAtEnd()) return;
        if (threadIdx.x == 0) bring();
        tiles_.advance();
    }

  private:
    __device__ void bring() const {
        const std::uint32_t filled = shared_.filled(tiles_.stage);
        awaitPhase(shared_.emptied(tiles_.stage), tiles_.parity ^ 1);
        arriveExpecting(filled, Shared::kStageBytes);
        const AttentionSegment& segment = problem_.segments[tiles_.segment];
        const int kSample = segment.kBatchStride == 0 ? 0 : item_.sample;
        const int vSample = segment.vBatchStride == 0 ? 0 : item_.sample;
#pragma unroll
        for (int box = 0; box < Shared::kBoxes; ++box)
            copyBox(shared_.keys(tiles_.stage) + box * Shared::kBoxBytes, maps_.k[tiles_.segment],
                    {box * kBoxChannels, item_.head, tiles_.firstKey, kSample}, filled);
#pragma unroll
        for (int box = 0; box < Shared::kBoxes; ++box)
            copyBox(shared_.values(tiles_.stage) + box * Shared::kBoxBytes, maps_.v[tiles_.segment],
                    {box * kBoxChannels, item_.head, tiles_.firstKey, vSample}, filled);
    }

    const AttentionProblem& problem_;
    const AttentionMaps& maps_;
    const HopperItem<Layout>& item_;
    const Shared& shared_;
    HopperTiles<Layout> tiles_;
};

/// Attention for one warpgroup, laid out by Layout::kLayout, as Shah et al. 2024 (FlashAttention-3) describe it: while
/// a tile's scores become weights, the tensor cores add the values of the tile before. Exponentials are to base 2.
/// kHead: at least the head size, a multiple of 8; channels behind the head size are zeros. Sums are brought down only
/// when a score exceeds their reference by 2^kSlack, as in attention_flash.cuh.
template <typename T, int kHead, typename Layout>
class HopperWarpgroup {
  public:
    using Shared = HopperShared<kHead, Layout>;
    using Tiles = HopperTiles<Layout>;
    static constexpr HopperLayout kLayout = Layout::kLayout;

    __device__ HopperWarpgroup(const AttentionProblem& problem, const AttentionMaps& maps,
                               const HopperItem<Layout>& item, const Shared& shared)
        : problem_(problem), item_(item), shared_(shared), courier_(problem, maps, item, shared) {
        firstRow_ = item.firstRow + static_cast<int>(threadIdx.x / 32) * 16 + lane() / 4;
    }

    __device__ void attend() {
        for (int i = 0; i < kLayout.stages - kTilesBehind; ++i) courier_.bringNext();
        loadQueries();
        Tiles tiles{problem_};
        Scores scores = {};
        Weights weights;
        if (warpgroup() > 0) awaitTurn();
        awaitPhase(shared_.filled(tiles.stage), tiles.parity);
        beginScores(tiles.stage, scores);
        int keys = tiles.keysLeft(), stage = tiles.stage;
        tiles.advance();
        passTurn(tiles.isAtEnd());
        awaitProducts<0>();
        pin(scores);
        weigh(keys, scores);
        pack(scores, weights);
        while (!tiles.isAtEnd()) {
            awaitTurn();
            awaitPhase(shared_.filled(tiles.stage), tiles.parity);
            beginScores(tiles.stage, scores);
            beginValues(stage, weights);
            const int doneStage = stage;
            keys = tiles.keysLeft();
            stage = tiles.stage;
            tiles.advance();
            passTurn(tiles.isAtEnd());
            if constexpr (kTilesBehind == 1) courier_.bringNext();
            awaitProducts<1>();
            pin(scores);
            const bool isRaised = weigh(keys, scores);
            awaitProducts<0>();
            pin(sums_);
            release(doneStage);
            if constexpr (kTilesBehind == 0) courier_.bringNext();
            if (isRaised) rescale();
            pack(scores, weights);
        }
        beginValues(stage, weights);
        awaitProducts<0>();
        pin(sums_);
        store();
    }

  private:
    static constexpr int kSteps = (kHead + 15) / 16;  ///< of 16 channels
    static constexpr int kScoreTiles = kLayout.tileKeys / 8;
    static constexpr int kSumTiles = kHead / 8;
    /// A stage is filled again one tile late, so that the courier seldom waits for other warpgroups.
    static constexpr int kTilesBehind = kLayout.warpgroups > 1 ? 1 : 0;
    static_assert(kLayout.stages >= 2 + kTilesBehind, "or a warpgroup waits for a tile that it brings later itself");
    static constexpr float kSlack = 8.0f;
    /// Below every score, but finite, so that no difference of two is undefined.
    static constexpr float kNoTop = -1e30f;

    using Scores = float[kScoreTiles][4];
    using Weights = std::uint32_t[kScoreTiles / 2][4];

    __device__ static int lane() { return threadIdx.x % 32; }
    __device__ static int warpgroup() { return threadIdx.x / 128; }
    __device__ static float highestOfQuad(float value) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 1));
        return fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 2));
    }
    __device__ static float sumOfQuad(float value) {
        value += __shfl_xor_sync(0xffffffffu, value, 1);
        return value + __shfl_xor_sync(0xffffffffu, value, 2);
    }

    /// Turns pass from each warpgroup to the next, through a named barrier of each that both meet at. The first turn of
    /// the first one comes without waiting, and the last turn of the last one is passed to nobody.
    __device__ static void awaitTurn() {
        if constexpr (kLayout.takesTurns) asm volatile("bar.sync %0, 256;" ::"r"(1 + warpgroup()) : "memory");
    }
    __device__ static void passTurn(bool isLast) {
        if constexpr (kLayout.takesTurns) {
            const int next = warpgroup() + 1 == kLayout.warpgroups ? 0 : warpgroup() + 1;
            if (next == 0 && isLast) return;
            asm volatile("bar.arrive %0, 256;" ::"r"(1 + next) : "memory");
        }
    }

    __device__ void release(int stage) const {
        if (lane() == 0) arrive(shared_.emptied(stage));
    }

    __device__ void loadQueries() {
        const T* q = static_cast<const T*>(problem_.q) + item_.sample * problem_.qBatchStride +
                     item_.head * problem_.headSize + lane() % 4 * 2;
        const auto pairAt = [&](int row, int channel) {
            if (row >= problem_.queries || channel >= problem_.headSize) return 0u;
            return *reinterpret_cast<const std::uint32_t*>(q + std::int64_t{row} * problem_.qRowStride + channel);
        };
#pragma unroll
        for (int step = 0; step < kSteps; ++step)
#pragma unroll
            for (int part = 0; part < 4; ++part)
                queries_[step][part] = pairAt(firstRow_ + part % 2 * 8, step * 16 + part / 2 * 8);
    }

    /// Keys are columns of what the queries are multiplied by, each with its channels side by side.
    __device__ void beginScores(int stage, Scores& scores) const {
        pin(scores);
        openProducts();
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            constexpr int kStepsOfBox = kBoxChannels / 16;
            const std::uint32_t at =
                shared_.keys(stage) + step / kStepsOfBox * Shared::kBoxBytes + step % kStepsOfBox * 32;
            const std::uint64_t keys = swizzledMatrix(at, 16);
            if (step == 0)
                beginProduct<T, false, false>(scores, queries_[step], keys);
            else
                beginProduct<T, true, false>(scores, queries_[step], keys);
        }
        closeProducts();
    }

    /// Values are rows of what the weights are multiplied by.
    __device__ void beginValues(int stage, const Weights& weights) {
        pin(sums_);
        openProducts();
#pragma unroll
        for (int step = 0; step < kScoreTiles / 2; ++step)
            beginProduct<T, true, true>(sums_, weights[step],
                                        swizzledMatrix(shared_.values(stage) + step * 2048, Shared::kBoxBytes));
        closeProducts();
    }

    /// Scores become weights, of the first `keys` keys. Whether the sums must be brought down by factors_.
    __device__ bool weigh(int keys, Scores& scores) {
        if (keys < kLayout.tileKeys) hide(keys, scores);
        const bool isRaised = raiseTops(scores);
#pragma unroll
        for (int n = 0; n < kScoreTiles; ++n)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                float& score = scores[n][i];
                score = powerOfTwo(fmaf(score, problem_.scoreScale, -tops_[i / 2]));
                totals_[i / 2] += score;
            }
        return isRaised;
    }

    __device__ static void hide(int keys, Scores& scores) {
#pragma unroll
        for (int n = 0; n < kScoreTiles; ++n)
#pragma unroll
            for (int i = 0; i < 4; ++i)
                if (n * 8 + lane() % 4 * 2 + i % 2 >= keys) scores[n][i] = -INFINITY;
    }

    __device__ bool raiseTops(const Scores& scores) {
        float highest[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float top = -INFINITY;
#pragma unroll
            for (int n = 0; n < kScoreTiles; ++n) top = fmaxf(top, fmaxf(scores[n][half * 2], scores[n][half * 2 + 1]));
            highest[half] = top * problem_.scoreScale;
        }
        const bool isTooHigh = highest[0] > tops_[0] + kSlack || highest[1] > tops_[1] + kSlack;
        if (!__any_sync(0xffffffffu, isTooHigh)) return false;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float top = fmaxf(tops_[half], highestOfQuad(highest[half]));
            factors_[half] = powerOfTwo(tops_[half] - top);
            totals_[half] *= factors_[half];
            tops_[half] = top;
        }
        return true;
    }

    __device__ void rescale() {
#pragma unroll
        for (int n = 0; n < kSumTiles; ++n)
#pragma unroll
            for (int i = 0; i < 4; ++i) sums_[n][i] *= factors_[i / 2];
    }

    __device__ static void pack(const Scores& scores, Weights& weights) {
#pragma unroll
        for (int step = 0; step < kScoreTiles / 2; ++step)
#pragma unroll
            for (int part = 0; part < 4; ++part) {
                const float* pair = scores[step * 2 + part / 2] + part % 2 * 2;
                weights[step][part] = packPair<T>(pair[0], pair[1]);
            }
    }

    __device__ void store() const {
        const std::int64_t rowStride = std::int64_t{problem_.heads} * problem_.headSize;
        T* output = static_cast<T*>(problem_.output) + std::int64_t{item_.sample} * problem_.queries * rowStride +
                    item_.head * problem_.headSize + lane() % 4 * 2;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float inverse = 1.0f / sumOfQuad(totals_[half]);
            const int row = firstRow_ + half * 8;
            if (row >= problem_.queries) continue;
            T* to = output + row * rowStride;
#pragma unroll
            for (int n = 0; n < kSumTiles; ++n)
                if (n * 8 < problem_.headSize)
                    *reinterpret_cast<std::uint32_t*>(to + n * 8) =
                        packPair<T>(sums_[n][half * 2] * inverse, sums_[n][half * 2 + 1] * inverse);
        }
    }

    const AttentionProblem& problem_;
    const HopperItem<Layout>& item_;
    const Shared& shared_;
    HopperCourier<kHead, Layout> courier_;
    int firstRow_;  ///< of this lane; the other is 8 behind
    std::uint32_t queries_[kSteps][4];
    float sums_[kSumTiles][4] = {};
    float tops_[2] = {kNoTop, kNoTop};
    float totals_[2] = {};
    float factors_[2] = {};
};

}  // namespace reelbrush::kernels
