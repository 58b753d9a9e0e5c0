#pragma once

#include "kernels/cuda/attention_problem.h"
#include "kernels/cuda/tensor_core.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace reelbrush::kernels {

/// How the work of a flash kernel is divided. A team of warps attends from some queries of one sample and head to all
/// keys, which pass through shared memory in tiles; a warp takes a chunk of a tile at a time.
struct FlashLayout {
    int rowTiles;   ///< of 16 queries, of a warp
    int rowWarps;   ///< warps of a team that have queries of their own
    int keyGroups;  ///< times as many, which share the chunks of a tile and are joined at the end
    int tileKeys;
    int chunkKeys;               ///< 16 or a multiple of 32
    int stages;                  ///< tiles in shared memory: 1, or 2 where the next is fetched meanwhile
    int teams;                   ///< of a block; more than one only where a team is one warp
    int blocksOnMultiprocessor;  ///< that registers must leave room for

    constexpr int rows() const { return 16 * rowTiles * rowWarps; }
    constexpr int teamThreads() const { return 32 * rowWarps * keyGroups; }
    constexpr int threads() const { return teamThreads() * teams; }
};

/// Attention for one team, laid out by Layout::kLayout, as Dao 2023 (FlashAttention-2) describes it, with exponentials
/// to base 2. kHead: at least the head size, a multiple of 8; channels behind the head size are zeros. Sums are brought
/// down only when a score exceeds their reference by 2^kSlack; until then weights are above 1, which costs no accuracy,
/// and most tiles need no exchange between lanes.
template <typename T, int kHead, typename Layout>
class FlashTeam {
  public:
    static constexpr FlashLayout kLayout = Layout::kLayout;
    static constexpr int kRows = kLayout.rows(), kTeamThreads = kLayout.teamThreads();
    static constexpr int kPieces = kHead / 8;  ///< of 16 bytes in a row
    /// An odd number of pieces, so that eight rows lie in different banks.
    static constexpr int kRowBytes = (kPieces | 1) * 16;
    static constexpr int kTileBytes = kLayout.tileKeys * kRowBytes;
    static constexpr int kSumsPerThread = kLayout.rowTiles * (kPieces * 4 + 4);
    static constexpr int kExchangeBytes = (kLayout.keyGroups - 1) * kLayout.rowWarps * 32 * kSumsPerThread * 4;
    static constexpr int kSharedBytes = std::max(kLayout.stages * 2 * kTileBytes, kExchangeBytes);

    __device__ FlashTeam(const AttentionProblem& problem, unsigned item, unsigned char* shared)
        : problem_(problem), shared_(shared), sharedAddress_(sharedAddress(shared)) {
        const unsigned rowBlocks = (problem.queries + kRows - 1) / kRows;
        unsigned rowBlock = item % rowBlocks;
        // The last queries see most keys: they go first.
        if (problem.causal) rowBlock = rowBlocks - 1 - rowBlock;
        head_ = item / rowBlocks % problem.heads;
        sample_ = item / rowBlocks / problem.heads;
        firstRow_ = rowBlock * kRows + firstRowInTeam();
        for (auto& tops : tops_) tops[0] = tops[1] = kNoTop;
    }

    __device__ void attend() {
        loadQueries();
        KeyTile current{0, 0};
        int stage = 0;
        loadTile(current, stage);
        while (true) {
            const KeyTile next = following(current);
            const bool isLast = next.segment == problem_.segmentCount;
            awaitCopies<0>();
            synchronise();
            // Nobody reads the other stage any more: all are past its tile.
            if (kLayout.stages == 2 && !isLast) loadTile(next, stage ^ 1);
            attendTile(current, stage);
            if (isLast) break;
            if constexpr (kLayout.stages == 2) {
                stage ^= 1;
            } else {
                synchronise();
                loadTile(next, stage);
            }
            current = next;
        }
        for (auto& totals : totals_)
            for (float& total : totals) total = sumOfQuad(total);
        if constexpr (kLayout.keyGroups > 1) {
            joinGroups();
            if (group() > 0) return;
        }
        store();
    }

  private:
    static constexpr int kFullSteps = kHead / 16;  ///< of 16 channels
    static constexpr bool kHasHalfStep = kHead % 16 != 0;
    static constexpr int kScoreTiles = kLayout.chunkKeys / 8;
    static constexpr float kSlack = 8.0f;
    /// Below every score, but finite, so that no difference of two is undefined.
    static constexpr float kNoTop = -1e30f;

    struct KeyTile {
        int segment, firstKey;
    };
    using Scores = float[kLayout.rowTiles][kScoreTiles][4];

    __device__ static int thread() { return threadIdx.x % kTeamThreads; }
    __device__ static int lane() { return threadIdx.x % 32; }
    __device__ static int warp() { return thread() / 32; }
    __device__ static int group() { return warp() / kLayout.rowWarps; }

    __device__ static int firstRowInTeam() { return warp() % kLayout.rowWarps * 16 * kLayout.rowTiles; }

    __device__ static void synchronise() {
        if constexpr (kLayout.teams > 1)
            __syncwarp();
        else
            __syncthreads();
    }
    __device__ static float highestOfQuad(float value) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 1));
        return fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 2));
    }
    __device__ static float sumOfQuad(float value) {
        value += __shfl_xor_sync(0xffffffffu, value, 1);
        return value + __shfl_xor_sync(0xffffffffu, value, 2);
    }

    /// Keys of the segment that any query of the team sees.
    __device__ int visibleKeys(int segment) const {
        const int tokens = problem_.segments[segment].tokens;
        return problem_.causal ? min(tokens, firstRow_ - firstRowInTeam() + kRows) : tokens;
    }
    __device__ KeyTile following(KeyTile tile) const {
        const int firstKey = tile.firstKey + kLayout.tileKeys;
        return firstKey < visibleKeys(tile.segment) ? KeyTile{tile.segment, firstKey} : KeyTile{tile.segment + 1, 0};
    }

    __device__ void loadQueries() {
        const T* q = static_cast<const T*>(problem_.q) + sample_ * problem_.qBatchStride + head_ * problem_.headSize;
        const auto pairAt = [&](int row, int channel) {
            if (row >= problem_.queries || channel >= problem_.headSize) return 0u;
            return *reinterpret_cast<const std::uint32_t*>(q + std::int64_t{row} * problem_.qRowStride + channel);
        };
#pragma unroll
        for (int tile = 0; tile < kLayout.rowTiles; ++tile) {
            const int row = firstRow_ + tile * 16 + lane() / 4, channel = lane() % 4 * 2;
#pragma unroll
            for (int step = 0; step < kFullSteps; ++step)
#pragma unroll
                for (int part = 0; part < 4; ++part)
                    queries_[tile][step][part] = pairAt(row + part % 2 * 8, step * 16 + part / 2 * 8 + channel);
            if constexpr (kHasHalfStep)
                for (int part = 0; part < 2; ++part)
                    halfQueries_[tile][part] = pairAt(row + part * 8, kFullSteps * 16 + channel);
        }
    }

    __device__ std::uint32_t keysOf(int stage) const {
        return sharedAddress_ + stage * 2 * kTileBytes;
    }
    __device__ std::uint32_t valuesOf(int stage) const {
        return keysOf(stage) + kTileBytes;
    }

    /// Begins to copy a tile; rows behind the segment become zeros, for a weight of zero would not undo a NaN.
    __device__ void loadTile(KeyTile tile, int stage) const {
        const AttentionSegment& segment = problem_.segments[tile.segment];
        const int channel = head_ * problem_.headSize;
        const T* k = static_cast<const T*>(segment.k) + sample_ * segment.kBatchStride + channel;
        const T* v = static_cast<const T*>(segment.v) + sample_ * segment.vBatchStride + channel;
#pragma unroll 1
        for (int i = thread(); i < kLayout.tileKeys * kPieces; i += kTeamThreads) {
            const int row = i / kPieces, piece = i % kPieces;
            const bool isValid = tile.firstKey + row < segment.tokens && piece * 8 < problem_.headSize;
            const std::int64_t token = isValid ? tile.firstKey + row : 0;
            const int at = isValid ? piece * 8 : 0, to = row * kRowBytes + piece * 16;
            copyAsync16(keysOf(stage) + to, k + token * segment.kRowStride + at, isValid);
            copyAsync16(valuesOf(stage) + to, v + token * segment.vRowStride + at, isValid);
        }
        closeCopies();
    }

    __device__ void attendTile(KeyTile tile, int stage) {
        const int tokens = problem_.segments[tile.segment].tokens;
        const int lastRow = firstRow_ + 16 * kLayout.rowTiles - 1;
#pragma unroll 1
        for (int first = group() * kLayout.chunkKeys; first < kLayout.tileKeys;
             first += kLayout.keyGroups * kLayout.chunkKeys) {
            const int key = tile.firstKey + first;
            if (key >= tokens || (problem_.causal && key > lastRow)) break;
            Scores scores = {};
            multiplyKeys(keysOf(stage) + first * kRowBytes, scores);
            const int behind = key + kLayout.chunkKeys;
            if (behind > tokens || (problem_.causal && behind - 1 > firstRow_)) hide(key, tokens, scores);
            raiseTops(scores);
            weigh(scores);
            addValues(valuesOf(stage) + first * kRowBytes, scores);
        }
    }

    __device__ void multiplyKeys(std::uint32_t keys, Scores& scores) const {
        const std::uint32_t own = keys + (lane() % 8 + lane() / 16 * 8) * kRowBytes + lane() / 8 % 2 * 16;
#pragma unroll
        for (int step = 0; step < kFullSteps; ++step)
#pragma unroll
            for (int n = 0; n < kScoreTiles; n += 2) {
                std::uint32_t b[4];
                loadMatrices(b, own + n * 8 * kRowBytes + step * 32);
#pragma unroll
                for (int tile = 0; tile < kLayout.rowTiles; ++tile) {
                    multiplyAdd16<T>(scores[tile][n], queries_[tile][step], b[0], b[1]);
                    multiplyAdd16<T>(scores[tile][n + 1], queries_[tile][step], b[2], b[3]);
                }
            }
        if constexpr (kHasHalfStep) {
            constexpr int kAtOnce = kScoreTiles < 4 ? kScoreTiles : 4;
            const std::uint32_t row = keys + lane() % (kAtOnce * 8) * kRowBytes + kFullSteps * 32;
#pragma unroll
            for (int n = 0; n < kScoreTiles; n += kAtOnce) {
                std::uint32_t b[kAtOnce];
                loadMatrices(b, row + n * 8 * kRowBytes);
#pragma unroll
                for (int tile = 0; tile < kLayout.rowTiles; ++tile)
#pragma unroll
                    for (int i = 0; i < kAtOnce; ++i) multiplyAdd8<T>(scores[tile][n + i], halfQueries_[tile], b[i]);
            }
        }
    }

    __device__ void hide(int firstKey, int tokens, Scores& scores) const {
#pragma unroll
        for (int tile = 0; tile < kLayout.rowTiles; ++tile)
#pragma unroll
            for (int n = 0; n < kScoreTiles; ++n)
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const int key = firstKey + n * 8 + lane() % 4 * 2 + i % 2;
                    const int row = firstRow_ + tile * 16 + i / 2 * 8 + lane() / 4;
                    if (key >= tokens || (problem_.causal && key > row)) scores[tile][n][i] = -INFINITY;
                }
    }

    __device__ void raiseTops(const Scores& scores) {
        float highest[kLayout.rowTiles][2];
        bool isTooHigh = false;
#pragma unroll
        for (int tile = 0; tile < kLayout.rowTiles; ++tile)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float top = -INFINITY;
#pragma unroll
                for (int n = 0; n < kScoreTiles; ++n)
                    top = fmaxf(top, fmaxf(scores[tile][n][half * 2], scores[tile][n][half * 2 + 1]));
                highest[tile][half] = top * problem_.scoreScale;
                isTooHigh |= highest[tile][half] > tops_[tile][half] + kSlack;
            }
        if (!__any_sync(0xffffffffu, isTooHigh)) return;
#pragma unroll
        for (int tile = 0; tile < kLayout.rowTiles; ++tile)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float top = fmaxf(tops_[tile][half], highestOfQuad(highest[tile][half]));
                rescale(tile, half, powerOfTwo(tops_[tile][half] - top));
                tops_[tile][half] = top;
            }
    }

    __device__ void rescale(int tile, int half, float factor) {
        totals_[tile][half] *= factor;
#pragma unroll
        for (int n = 0; n < kPieces; ++n) {
            sums_[tile][n][half * 2] *= factor;
            sums_[tile][n][half * 2 + 1] *= factor;
        }
    }

    /// Scores become weights.
    __device__ void weigh(Scores& scores) {
#pragma unroll
        for (int tile = 0; tile < kLayout.rowTiles; ++tile)
#pragma unroll
            for (int n = 0; n < kScoreTiles; ++n)
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    float& score = scores[tile][n][i];
                    score = powerOfTwo(fmaf(score, problem_.scoreScale, -tops_[tile][i / 2]));
                    totals_[tile][i / 2] += score;
                }
    }

    __device__ void addValues(std::uint32_t values, const Scores& weights) {
        const std::uint32_t own = values + lane() % 16 * kRowBytes + lane() / 16 * 16;
#pragma unroll
        for (int step = 0; step < kScoreTiles / 2; ++step) {
            std::uint32_t a[kLayout.rowTiles][4];
#pragma unroll
            for (int tile = 0; tile < kLayout.rowTiles; ++tile)
#pragma unroll
                for (int part = 0; part < 4; ++part) {
                    const float* pair = weights[tile][step * 2 + part / 2] + part % 2 * 2;
                    a[tile][part] = packPair<T>(pair[0], pair[1]);
                }
#pragma unroll
            for (int n = 0; n + 1 < kPieces; n += 2) {
                std::uint32_t b[4];
                loadTransposed(b, own + step * 16 * kRowBytes + n * 16);
#pragma unroll
                for (int tile = 0; tile < kLayout.rowTiles; ++tile) {
                    multiplyAdd16<T>(sums_[tile][n], a[tile], b[0], b[1]);
                    multiplyAdd16<T>(sums_[tile][n + 1], a[tile], b[2], b[3]);
                }
            }
            if constexpr (kPieces % 2 != 0) {
                std::uint32_t b[2];
                loadTransposed(b, own + step * 16 * kRowBytes + (kPieces - 1) * 16);
#pragma unroll
                for (int tile = 0; tile < kLayout.rowTiles; ++tile)
                    multiplyAdd16<T>(sums_[tile][kPieces - 1], a[tile], b[0], b[1]);
            }
        }
    }

    /// The first group receives what the others summed over their chunks. A group that saw no key of a row has a total
    /// of zero there, and a reference that makes its factor zero.
    __device__ void joinGroups() {
        float* own = reinterpret_cast<float*>(shared_) + warp() % kLayout.rowWarps * 32 * kSumsPerThread + lane();
        constexpr int kGroupFloats = kLayout.rowWarps * 32 * kSumsPerThread;
        __syncthreads();
        if (group() > 0) {
            float* to = own + (group() - 1) * kGroupFloats;
            int i = 0;
#pragma unroll
            for (int tile = 0; tile < kLayout.rowTiles; ++tile) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    to[i++ * 32] = tops_[tile][half];
                    to[i++ * 32] = totals_[tile][half];
                }
#pragma unroll
                for (int n = 0; n < kPieces; ++n)
#pragma unroll
                    for (int part = 0; part < 4; ++part) to[i++ * 32] = sums_[tile][n][part];
            }
        }
        __syncthreads();
        if (group() > 0) return;
#pragma unroll 1
        for (int other = 1; other < kLayout.keyGroups; ++other) {
            const float* from = own + (other - 1) * kGroupFloats;
            int i = 0;
#pragma unroll
            for (int tile = 0; tile < kLayout.rowTiles; ++tile) {
                float factors[2];
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const float otherTop = from[i++ * 32], otherTotal = from[i++ * 32];
                    const float top = fmaxf(tops_[tile][half], otherTop);
                    factors[half] = powerOfTwo(otherTop - top);
                    rescale(tile, half, powerOfTwo(tops_[tile][half] - top));
                    totals_[tile][half] += otherTotal * factors[half];
                    tops_[tile][half] = top;
                }
#pragma unroll
                for (int n = 0; n < kPieces; ++n)
#pragma unroll
                    for (int part = 0; part < 4; ++part) sums_[tile][n][part] += from[i++ * 32] * factors[part / 2];
            }
        }
    }

    __device__ void store() const {
        const std::int64_t rowStride = std::int64_t{problem_.heads} * problem_.headSize;
        T* output = static_cast<T*>(problem_.output) + std::int64_t{sample_} * problem_.queries * rowStride +
                    head_ * problem_.headSize + lane() % 4 * 2;
#pragma unroll
        for (int tile = 0; tile < kLayout.rowTiles; ++tile)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = firstRow_ + tile * 16 + half * 8 + lane() / 4;
                if (row >= problem_.queries) continue;
                const float inverse = 1.0f / totals_[tile][half];
                T* to = output + row * rowStride;
#pragma unroll
                for (int n = 0; n < kPieces; ++n)
                    if (n * 8 < problem_.headSize)
                        *reinterpret_cast<std::uint32_t*>(to + n * 8) =
                            packPair<T>(sums_[tile][n][half * 2] * inverse, sums_[tile][n][half * 2 + 1] * inverse);
            }
    }

    const AttentionProblem& problem_;
    unsigned char* shared_;
    std::uint32_t sharedAddress_;
    int head_, sample_;
    int firstRow_;
    std::uint32_t queries_[kLayout.rowTiles][kFullSteps][4];
    std::uint32_t halfQueries_[kLayout.rowTiles][2];
    float sums_[kLayout.rowTiles][kPieces][4] = {};
    float tops_[kLayout.rowTiles][2];
    float totals_[kLayout.rowTiles][2] = {};
};

}  // namespace reelbrush::kernels
