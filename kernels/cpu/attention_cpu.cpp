#include "kernels/cpu/attention_cpu.h"

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/parallel_for.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention_cpu.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/attention_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

/// Where an item's parts of the scratch are.
struct ItemScratch {
    explicit ItemScratch(const AttentionItem& item)
        : queries(item.scratch),
          keys(queries + item.tiling->packedQueries()),
          values(keys + item.tiling->packedKeys()),
          scores(values + item.tiling->packedValues()),
          spareRow(scores + item.tiling->scores()),
          tops(spareRow + item.tiling->paddedHead),
          totals(tops + item.tiling->states() / 2) {}

    float *queries, *keys, *values, *scores;
    float* spareRow;       ///< rows behind the last query are written here
    float *tops, *totals;  ///< of each query: highest score so far, sum of exponentials relative to it
};

/// Panels of kVectors vectors, then one of what is left; panel(first key, vectors).
template <class Panel>
HWY_INLINE void forPanels(std::int64_t keys, std::int64_t lanes, const Panel& panel) {
    const std::int64_t vectors = (keys + lanes - 1) / lanes;
    for (std::int64_t v = 0; v < vectors; v += static_cast<std::int64_t>(kVectors))
        panel(v * lanes, std::min<std::int64_t>(kVectors, vectors - v));
}

void packKeys(const AttentionSegment& segment, std::int64_t first, std::int64_t keys, std::int64_t headSize,
              float* to) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
    forPanels(keys, lanes, [&](std::int64_t key, std::int64_t vectors) HWY_ATTR {
        packColumns(segment.k + (first + key) * segment.kStride, segment.kStride, std::min(keys - key, vectors * lanes),
                    headSize, 1.0f, to + key * headSize, vectors * lanes);
    });
}

/// Scores of kRows queries with all keys of a tile; highest [kRows][lanes] is set.
void scoreTile(const float* keys, const float* queries, std::int64_t keyCount, const AttentionTiling& tiling,
               float* scores, float* highest) {
    const FloatTag d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::size_t r = 0; r < kRows; ++r)
        hn::StoreU(hn::Set(d, std::numeric_limits<float>::lowest()), d, highest + r * hn::Lanes(d));
    forPanels(keyCount, lanes, [&](std::int64_t key, std::int64_t vectors) HWY_ATTR {
        const float* panel = keys + key * tiling.headSize;
        const std::int64_t valid = keyCount - key;
        if (vectors == 1)
            scorePanel<1>(panel, queries, tiling.headSize, valid, scores + key, tiling.keysPerTile, highest);
        else if (vectors == 2)
            scorePanel<2>(panel, queries, tiling.headSize, valid, scores + key, tiling.keysPerTile, highest);
        else
            scorePanel<kVectors>(panel, queries, tiling.headSize, valid, scores + key, tiling.keysPerTile, highest);
    });
}

/// Adds a tile's values to kRows output rows.
void sumTile(const float* scores, const float* values, std::int64_t keys, const AttentionTiling& tiling,
             const float* keep, float* const* out) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
    std::int64_t left = (tiling.headSize + lanes - 1) / lanes;
    for (std::int64_t c = 0; left > 0;) {
        // Four vectors go as two and two: one alone would wait for its own sums.
        const std::int64_t vectors = left == 4 ? 2 : std::min<std::int64_t>(left, kVectors);
        const auto last = static_cast<std::size_t>(std::min(lanes, tiling.headSize - c - (vectors - 1) * lanes));
        if (vectors == 1)
            addValues<1>(scores, tiling.keysPerTile, values, tiling.paddedHead, keys, keep, out, c, last);
        else if (vectors == 2)
            addValues<2>(scores, tiling.keysPerTile, values, tiling.paddedHead, keys, keep, out, c, last);
        else
            addValues<kVectors>(scores, tiling.keysPerTile, values, tiling.paddedHead, keys, keep, out, c, last);
        c += vectors * lanes;
        left -= vectors;
    }
}

/// A packed tile of keys of one segment.
struct KeyTile {
    std::int64_t firstKey, keys;
    bool isFirst;  ///< of all segments: nothing was summed before it
};

/// Takes the keys behind the first `visible` out of a row of scores; gives the highest that is left.
float hideLaterKeys(float* scores, std::int64_t visible, std::int64_t keys) {
    constexpr float kNothing = std::numeric_limits<float>::lowest();
    float highest = kNothing;
    for (std::int64_t key = 0; key < keys; ++key) {
        if (key >= visible) scores[key] = kNothing;
        highest = std::max(highest, scores[key]);
    }
    return highest;
}

/// kRows queries, from `row` on, against a packed tile.
void attendRows(const AttentionItem& item, const ItemScratch& scratch, std::int64_t row, const KeyTile& tile) {
    const FloatTag d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const AttentionTiling& tiling = *item.tiling;
    HWY_ALIGN float highest[kRows * hn::MaxLanes(d)];
    scoreTile(scratch.keys, scratch.queries + row * tiling.headSize, tile.keys, tiling, scratch.scores, highest);

    float keep[kRows];
    float* out[kRows];
    for (std::size_t r = 0; r < kRows; ++r) {
        const std::int64_t query = row + static_cast<std::int64_t>(r);
        float* scores = scratch.scores + static_cast<std::int64_t>(r) * tiling.keysPerTile;
        float top = item.causal ? hideLaterKeys(scores, item.firstQuery + query + 1 - tile.firstKey, tile.keys)
                                : hn::GetLane(hn::MaxOfLanes(d, hn::LoadU(d, highest + r * hn::Lanes(d))));
        float total = 0.0f;
        keep[r] = 0.0f;
        if (!tile.isFirst) {
            top = std::max(top, scratch.tops[query]);
            keep[r] = std::exp2(scratch.tops[query] - top);
            total = scratch.totals[query] * keep[r];
        }
        const std::int64_t padded = (tile.keys + lanes - 1) / lanes * lanes;
        total += exponentials(scores, padded, top);
        scratch.tops[query] = top;
        scratch.totals[query] = total;
        out[r] = query < item.queries ? item.out + query * item.outStride : scratch.spareRow;
    }
    sumTile(scratch.scores, scratch.values, tile.keys, tiling, tile.isFirst ? nullptr : keep, out);
}

void divideByTotals(const AttentionItem& item, const ItemScratch& scratch) {
    for (std::int64_t query = 0; query < item.queries; ++query) {
        float* row = item.out + query * item.outStride;
        const float factor = 1.0f / scratch.totals[query];
        mapRun(row, row, static_cast<std::size_t>(item.tiling->headSize),
               [factor](auto d, auto v) HWY_ATTR { return hn::Mul(v, hn::Set(d, factor)); });
    }
}

void attend(const AttentionItem& item) {
    constexpr auto kRowStep = static_cast<std::int64_t>(kRows);
    const AttentionTiling& tiling = *item.tiling;
    const ItemScratch scratch(item);
    for (std::int64_t row = 0; row < item.queries; row += kRowStep)
        packColumns(item.q + row * item.qStride, item.qStride, std::min(kRowStep, item.queries - row), tiling.headSize,
                    item.scoreScale, scratch.queries + row * tiling.headSize, kRowStep);
    bool isFirstTile = true;
    for (std::size_t s = 0; s < item.segmentCount; ++s) {
        const AttentionSegment& segment = item.segments[s];
        for (std::int64_t first = 0; first < segment.tokens; first += tiling.keysPerTile) {
            const std::int64_t keys = std::min(tiling.keysPerTile, segment.tokens - first);
            packKeys(segment, first, keys, tiling.headSize, scratch.keys);
            packValues(segment.v + first * segment.vStride, segment.vStride, keys, tiling, scratch.values);
            for (std::int64_t row = 0; row < item.queries; row += kRowStep)
                attendRows(item, scratch, row, {first, keys, isFirstTile});
            isFirstTile = false;
        }
    }
    divideByTotals(item, scratch);
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(attend);

namespace {

std::int64_t longestSegment(std::span<const Shape> inputs) {
    std::int64_t longest = 1;
    for (std::size_t i = 1; i < inputs.size(); i += 2) longest = std::max(longest, inputs[i][1]);
    return longest;
}

class AttentionStep : public BoundStep {
  public:
    AttentionStep(const StepRequest& request, int threads)
        : op_(std::get<Attention>(request.node.op)),
          inputs_(request.inputs.begin(), request.inputs.end()),
          output_(request.output),
          tiling_(op_.headSize, output_[1], longestSegment(request.inputs)),
          threads_(threads) {
        // Enough items to go round, evenly, as long as packing the keys again stays cheap.
        const std::int64_t heads = output_[0] * op_.heads;
        const std::int64_t wanted = (4 * threads + heads - 1) / heads;
        constexpr std::int64_t kFewest = 96, kRowStep = 24;
        const std::int64_t share = (output_[1] / wanted + kRowStep - 1) / kRowStep * kRowStep;
        tiling_.queriesPerItem = std::min(tiling_.queriesPerItem, std::max(kFewest, share));
        itemsPerHead_ = (output_[1] + tiling_.queriesPerItem - 1) / tiling_.queriesPerItem;
        segments_.resize(static_cast<std::size_t>(threads) * segmentCount());
    }

    std::size_t scratchBytes() const override {
        return static_cast<std::size_t>(threads_) * static_cast<std::size_t>(tiling_.scratchFloats()) * sizeof(float);
    }

    Status run() override {
        const std::int64_t items = output_[0] * op_.heads * itemsPerHead_;
        parallelItems(threads_, items, [this](std::int64_t item, int thread) { attendItem(item, thread); });
        return {};
    }

    double operations() const override {
        double keys = 0.0;
        for (std::size_t i = 1; i < inputs_.size(); i += 2) keys += static_cast<double>(inputs_[i][1]);
        return 4.0 * static_cast<double>(output_.elements()) * keys;
    }

  private:
    std::size_t segmentCount() const { return (inputs_.size() - 1) / 2; }

    /// The head's first channel of an input, at a sample's first token; batch 1 serves every sample.
    const float* headOf(std::size_t input, std::int64_t sample, std::int64_t head) const {
        const Shape& shape = inputs_[input];
        const std::int64_t from = shape.batch() == 1 ? 0 : sample;
        return buffers_.inputs[input] + from * shape[1] * shape.channels() + op_.offsetOf(input) + head * op_.headSize;
    }

    void attendItem(std::int64_t index, int thread) {
        const std::int64_t first = index % itemsPerHead_ * tiling_.queriesPerItem;
        const std::int64_t head = index / itemsPerHead_ % op_.heads, sample = index / itemsPerHead_ / op_.heads;
        AttentionSegment* segments = segments_.data() + static_cast<std::size_t>(thread) * segmentCount();
        for (std::size_t s = 0; s < segmentCount(); ++s) {
            const std::size_t k = 1 + 2 * s, v = k + 1;
            segments[s] = {headOf(k, sample, head), headOf(v, sample, head), inputs_[k].channels(),
                           inputs_[v].channels(), inputs_[k][1]};
        }
        AttentionItem item{};
        item.tiling = &tiling_;
        item.qStride = inputs_[0].channels();
        item.q = headOf(0, sample, head) + first * item.qStride;
        item.causal = op_.causal;
        item.firstQuery = first;
        item.queries = std::min(tiling_.queriesPerItem, output_[1] - first);
        item.segments = segments;
        item.segmentCount = segmentCount();
        item.outStride = output_.channels();
        item.out = buffers_.output + (sample * output_[1] + first) * item.outStride + head * op_.headSize;
        item.scoreScale = op_.effectiveScale() * 1.44269504f;
        item.scratch = reinterpret_cast<float*>(buffers_.scratch) + thread * tiling_.scratchFloats();
        HWY_DYNAMIC_DISPATCH(attend)(item);
    }

    Attention op_;
    std::vector<Shape> inputs_;
    Shape output_;
    AttentionTiling tiling_;
    int threads_;
    std::int64_t itemsPerHead_ = 1;
    std::vector<AttentionSegment> segments_;  ///< room for each thread's
};

}  // namespace

Result<std::unique_ptr<Step>> makeAttentionStep(const StepRequest& request, int threads) {
    return std::make_unique<AttentionStep>(request, threads);
}

}  // namespace reelbrush::kernels
#endif
