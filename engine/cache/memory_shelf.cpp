#include "engine/cache/memory_shelf.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace reelbrush::cache {

std::shared_ptr<FrameInMemory> MemoryShelf::allocate(const Entry& entry, Reason reason) {
    const std::lock_guard lock(mutex_);
    constexpr double kAll = std::numeric_limits<double>::infinity();
    double worth = reason == Reason::Asked ? kAll : worthOf(entry.shape, entry.notes, entry.position, entry.isOnDisk);
    if (reason == Reason::Painted) worth = std::nextafter(worth, kAll);
    const std::size_t last = tiers_.size() - 1, bytes = entry.shape.sizeBytes();
    if (!makeRoom(last, tiers_[last]->roundedBytes(bytes), worth)) return nullptr;
    auto block = tiers_[last]->allocate(bytes);
    if (!block) return nullptr;
    return std::make_shared<FrameInMemory>(
        FrameInMemory{entry.key, entry.shape, entry.notes, tiers_[last], std::move(*block)});
}

void MemoryShelf::add(std::shared_ptr<FrameInMemory> frame, const Entry& entry) {
    const std::lock_guard lock(mutex_);
    frames_[entry.key] = {std::move(frame), entry.position, entry.isOnDisk, tiers_.size() - 1, ++uses_};
}

FrameHandle MemoryShelf::find(const FrameKey& key, std::optional<std::int64_t> position) {
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(key);
    if (found == frames_.end()) return nullptr;
    if (position) found->second.position = position;
    found->second.lastUse = ++uses_;
    return found->second.frame;
}

FrameHandle MemoryShelf::peek(const FrameKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(key);
    return found == frames_.end() ? nullptr : found->second.frame;
}

void MemoryShelf::setOnDisk(const FrameKey& key) {
    const std::lock_guard lock(mutex_);
    if (const auto found = frames_.find(key); found != frames_.end()) found->second.isOnDisk = true;
}

bool MemoryShelf::raise(const FrameKey& key) {
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(key);
    if (found == frames_.end()) return false;
    if (found->second.tier == 0) return true;
    const std::size_t bytes = tiers_[0]->roundedBytes(found->second.frame->shape.sizeBytes());
    // What goes down to make room may push this one off the shelf; held, it cannot go.
    const FrameHandle held = found->second.frame;
    if (!makeRoom(0, bytes, worthOf(found->second))) return false;
    const bool isRaised = move(found->second, 0);
    counts_.raised += isRaised ? 1 : 0;
    return isRaised;
}

void MemoryShelf::clear() {
    const std::lock_guard lock(mutex_);
    frames_.clear();
}

void MemoryShelf::setPlayhead(const Playhead& playhead) {
    const std::lock_guard lock(mutex_);
    playhead_ = playhead;
}

std::vector<MemoryShelf::Listed> MemoryShelf::list() const {
    const std::lock_guard lock(mutex_);
    std::vector<Listed> list;
    list.reserve(frames_.size());
    for (const auto& [key, kept] : frames_)
        list.push_back({key, kept.position, tiers_[kept.tier]->name(), worthOf(kept), kept.isOnDisk});
    return list;
}

MemoryShelf::Counts MemoryShelf::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

double MemoryShelf::worthOf(const FrameShape& shape, const FrameNotes& notes, std::optional<std::int64_t> position,
                            bool isOnDisk) const {
    return memoryWorth({.repaintSeconds = notes.repaintSeconds,
                        .entropyBits = notes.entropyBits,
                        .sizeBytes = static_cast<double>(shape.sizeBytes()),
                        .distanceFrames = distanceFrames(playhead_, position),
                        .isOnDisk = isOnDisk});
}

double MemoryShelf::worthOf(const Kept& kept) const {
    return worthOf(kept.frame->shape, kept.frame->notes, kept.position, kept.isOnDisk);
}

bool MemoryShelf::makeRoom(std::size_t tier, std::size_t bytes, double worth) {
    const kernels::MemoryBudget& budget = tiers_[tier]->budget();
    const auto hasRoom = [&](std::size_t freed) {
        const std::size_t held = budget.heldBytes();
        return held - std::min(held, freed) + bytes <= budget.limitBytes();
    };
    if (bytes > budget.limitBytes()) return false;
    if (hasRoom(0)) return true;
    std::vector<std::tuple<double, std::uint64_t, FrameKey>> leaving;
    for (const auto& [key, kept] : frames_)
        // Held by the shelf alone: only then do its bytes come back.
        if (kept.tier == tier && kept.frame.use_count() == 1)
            if (const double own = worthOf(kept); own < worth) leaving.emplace_back(own, kept.lastUse, key);
    std::ranges::sort(leaving);
    std::size_t count = 0, freed = 0;
    for (; count < leaving.size() && !hasRoom(freed); ++count)
        freed += tiers_[tier]->roundedBytes(frames_[std::get<FrameKey>(leaving[count])].frame->shape.sizeBytes());
    if (!hasRoom(freed)) return false;
    for (std::size_t i = 0; i < count; ++i) lower(std::get<FrameKey>(leaving[i]));
    return hasRoom(0);
}

void MemoryShelf::lower(const FrameKey& key) {
    Kept& kept = frames_[key];
    const std::size_t next = kept.tier + 1;
    if (next < tiers_.size() &&
        makeRoom(next, tiers_[next]->roundedBytes(kept.frame->shape.sizeBytes()), worthOf(kept)) && move(kept, next)) {
        ++counts_.lowered;
        return;
    }
    ++(kept.isOnDisk ? counts_.swappedOut : counts_.lost);
    frames_.erase(key);
}

bool MemoryShelf::move(Kept& kept, std::size_t tier) {
    const FrameInMemory& from = *kept.frame;
    const std::size_t bytes = from.shape.sizeBytes();
    auto block = tiers_[tier]->allocate(bytes);
    if (!block) return false;
    // Of the two at least one is memory of the host, since there is but one device.
    const std::byte* source = from.block->hostBytes();
    std::byte* target = (*block)->hostBytes();
    const Status copied = source ? tiers_[tier]->write(**block, {source, bytes})
                                 : from.tier->read(*from.block, {target, target ? bytes : 0});
    if (!copied || (!source && !target)) return false;
    kept.frame = std::make_shared<FrameInMemory>(
        FrameInMemory{from.key, from.shape, from.notes, tiers_[tier], std::move(*block)});
    kept.tier = tier;
    return true;
}

}  // namespace reelbrush::cache
