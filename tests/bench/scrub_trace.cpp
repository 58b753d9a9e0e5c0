#include "tests/bench/scrub_trace.h"

#include "engine/cache/memory_shelf.h"
#include "engine/cache/ram_tier.h"

#include <algorithm>
#include <list>
#include <random>

namespace reelbrush::cache {

namespace {

constexpr std::int64_t kClip = 1500;
constexpr FrameShape kTiny{SampleType::Bits8, 4, 4, 3};

FrameKey keyOf(std::int64_t position) {
    return FrameKeyBuilder("trace", 1).add("position", position).key();
}

/// Frames differ in what they say: every fifth shot of 60 frames is nearly plain.
double entropyAt(std::int64_t position) {
    return position / 60 % 5 == 0 ? 1.0 : 5.0;
}

}  // namespace

std::vector<ScrubStep> scrubTrace() {
    std::vector<ScrubStep> trace;
    std::mt19937 random(20);
    std::int64_t at = 0;
    const auto go = [&](std::int64_t frames, int direction, std::int64_t stride = 1) {
        for (std::int64_t i = 0; i < frames; ++i) {
            trace.push_back({at, direction});
            at = std::clamp<std::int64_t>(at + direction * stride, 0, kClip - 1);
        }
    };
    for (int task = 0; task < 60; ++task) {
        const std::int64_t passage = 60 + random() % 120, start = at;
        const int plays = 2 + static_cast<int>(random() % 3);
        for (int play = 0; play < plays; ++play) {
            at = start;
            go(passage, 1);
        }
        if (random() % 2) go(passage / 2, -1);               // J: backwards over it
        for (int i = 0; i < 10; ++i) go(3, i % 2 ? 1 : -1);  // arrows around the frame in question
        if (task % 6 == 5) {
            at = 0;
            go(kClip / 10, 1, 10);  // dragged over the whole clip
            at = start;
            go(passage, 1);
        }
        if (random() % 3) at = static_cast<std::int64_t>(random() % (kClip - 200));
    }
    return trace;
}

TraceResult replayWithLru(const std::vector<ScrubStep>& trace, std::size_t frames) {
    std::list<std::int64_t> kept;
    TraceResult result;
    for (const ScrubStep& step : trace) {
        if (const auto found = std::ranges::find(kept, step.position); found != kept.end()) {
            kept.erase(found);
            result.hitRate += 1;
        } else {
            ++result.fetched;
            if (kept.size() == frames) kept.pop_back();
        }
        kept.push_front(step.position);
    }
    result.hitRate /= static_cast<double>(trace.size());
    return result;
}

TraceResult replayWithShelf(const std::vector<ScrubStep>& trace, std::size_t frames) {
    MemoryShelf shelf({std::make_shared<RamTier>(frames * kTiny.sizeBytes())});
    TraceResult result;
    for (const ScrubStep& step : trace) {
        shelf.setPlayhead({step.position, step.direction});
        const FrameKey key = keyOf(step.position);
        if (shelf.find(key, step.position)) {
            result.hitRate += 1;
            continue;
        }
        ++result.fetched;
        const MemoryShelf::Entry entry{
            key, kTiny, {.repaintSeconds = 0.3, .entropyBits = entropyAt(step.position)}, step.position, true};
        if (auto frame = shelf.allocate(entry, MemoryShelf::Reason::Asked)) shelf.add(std::move(frame), entry);
    }
    result.hitRate /= static_cast<double>(trace.size());
    return result;
}

}  // namespace reelbrush::cache
