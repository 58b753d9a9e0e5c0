#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace reelbrush::cache {

/// A thread that writes frames behind the painter, one at a time, so that a process that is killed loses no more than
/// the one being written. Thread-safe; ends when it goes, after the frame that was given to it.
class FrameWriter {
  public:
    FrameWriter();
    ~FrameWriter();
    FrameWriter(const FrameWriter&) = delete;
    FrameWriter& operator=(const FrameWriter&) = delete;

    /// Hands over what writes a frame; waits until the one before is written.
    void submit(std::function<void()> write);
    /// Waits until nothing is left to be written.
    void flush();

  private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> next_;
    bool isWriting_ = false, isEnding_ = false;
    std::thread thread_;
};

}  // namespace reelbrush::cache
