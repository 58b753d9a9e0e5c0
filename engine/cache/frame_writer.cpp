#include "engine/cache/frame_writer.h"

#include <utility>

namespace reelbrush::cache {

FrameWriter::FrameWriter() : thread_([this] { work(); }) {}

FrameWriter::~FrameWriter() {
    {
        const std::lock_guard lock(mutex_);
        isEnding_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void FrameWriter::submit(std::function<void()> write) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !next_ && !isWriting_; });
    next_ = std::move(write);
    changed_.notify_all();
}

void FrameWriter::flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !next_ && !isWriting_; });
}

void FrameWriter::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return next_ || isEnding_; });
        if (!next_) return;
        isWriting_ = true;
        {
            const auto write = std::exchange(next_, nullptr);
            lock.unlock();
            write();
        }  // what it holds of the frame goes before anybody is told
        lock.lock();
        isWriting_ = false;
        changed_.notify_all();
    }
}

}  // namespace reelbrush::cache
