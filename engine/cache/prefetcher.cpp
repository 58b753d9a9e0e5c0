#include "engine/cache/prefetcher.h"

#include <utility>

namespace reelbrush::cache {

std::vector<std::int64_t> placesAhead(const Playhead& playhead, int frames) {
    std::vector<std::int64_t> places;
    for (int step = 1; step <= frames; ++step) {
        if (playhead.direction >= 0) places.push_back(playhead.position + step);
        if (playhead.direction <= 0) places.push_back(playhead.position - step);
    }
    places.resize(static_cast<std::size_t>(frames > 0 ? frames : 0));
    return places;
}

Prefetcher::Prefetcher(int frames, std::function<bool(const FrameKey&, std::int64_t)> fetch)
    : frames_(frames), fetch_(std::move(fetch)), thread_([this] { work(); }) {}

Prefetcher::~Prefetcher() {
    {
        const std::lock_guard lock(mutex_);
        isEnding_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Prefetcher::setTimeline(Timeline timeline) {
    const std::lock_guard lock(mutex_);
    timeline_ = std::move(timeline);
    ++wanted_;
    changed_.notify_all();
}

void Prefetcher::setPlayhead(const Playhead& playhead) {
    const std::lock_guard lock(mutex_);
    playhead_ = playhead;
    ++wanted_;
    changed_.notify_all();
}

void Prefetcher::flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_ == wanted_; });
}

void Prefetcher::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return done_ != wanted_ || isEnding_; });
        if (isEnding_) return;
        const std::uint64_t serving = wanted_;
        const Timeline timeline = timeline_;
        for (const std::int64_t place : placesAhead(playhead_, timeline ? frames_ : 0)) {
            lock.unlock();
            const auto key = timeline(place);
            const bool goesOn = !key || fetch_(*key, place);
            lock.lock();
            if (!goesOn || isEnding_ || serving != wanted_) break;
        }
        if (isEnding_) return;
        if (serving != wanted_) continue;
        done_ = serving;
        changed_.notify_all();
    }
}

}  // namespace reelbrush::cache
