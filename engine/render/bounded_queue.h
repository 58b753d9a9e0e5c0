#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace reelbrush::render {

/// Joins two stages: at most `capacity` items wait, so that a fast stage cannot run ahead of a slow one and memory does
/// not grow with the clip. Thread-safe.
///
/// Ends in one of two ways: close() by the writing stage (what waits is still read, then pop gives nothing), or
/// cancel() by anybody (what waits is dropped at once and both sides are let go).
template <typename T>
class BoundedQueue {
  public:
    /// capacity: at least 1.
    explicit BoundedQueue(std::size_t capacity) : capacity_(capacity ? capacity : 1) {}

    /// Waits for room. False when the queue was closed or cancelled: the item is dropped and the stage should end.
    bool push(T item) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || items_.size() < capacity_; });
        if (ended_) return false;
        items_.push_back(std::move(item));
        changed_.notify_all();
        return true;
    }

    /// Waits for an item. Nothing when there will be none any more.
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || !items_.empty(); });
        if (items_.empty()) return std::nullopt;
        std::optional<T> item(std::move(items_.front()));
        items_.pop_front();
        changed_.notify_all();
        return item;
    }

    /// Waits for an item, and takes what else is there, `most` items at most. Empty when there will be none any more.
    std::vector<T> popSome(std::size_t most) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || !items_.empty(); });
        std::vector<T> some;
        while (!items_.empty() && some.size() < most) {
            some.push_back(std::move(items_.front()));
            items_.pop_front();
        }
        changed_.notify_all();
        return some;
    }

    void close() {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

    void cancel() {
        std::deque<T> dropped;  // frees its items after the lock is given back
        const std::lock_guard lock(mutex_);
        ended_ = true;
        dropped.swap(items_);
        changed_.notify_all();
    }

    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return items_.size();
    }

  private:
    const std::size_t capacity_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<T> items_;
    bool ended_ = false;
};

}  // namespace reelbrush::render
