#pragma once

#include "engine/cache/frame_key.h"
#include "engine/cache/retention_score.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace reelbrush::cache {

/// Which frame is shown at a place of the timeline; nothing where there is none, or it cannot be told yet. Called by
/// the prefetching thread.
using Timeline = std::function<std::optional<FrameKey>(std::int64_t position)>;

/// The places that are fetched ahead, the next first: those in the direction of play, or around a standing playhead.
std::vector<std::int64_t> placesAhead(const Playhead& playhead, int frames);

/// A thread that fetches the frames ahead of the playhead. When the playhead moves it begins again from there after the
/// frame that it is fetching. Thread-safe.
class Prefetcher {
  public:
    /// fetch: brings one frame into memory; false where it cannot, and those behind it need not be tried.
    Prefetcher(int frames, std::function<bool(const FrameKey&, std::int64_t position)> fetch);
    ~Prefetcher();
    Prefetcher(const Prefetcher&) = delete;
    Prefetcher& operator=(const Prefetcher&) = delete;

    void setTimeline(Timeline timeline);
    void setPlayhead(const Playhead& playhead);
    /// Waits until all ahead of the playhead was tried.
    void flush();

  private:
    void work();

    const int frames_;
    const std::function<bool(const FrameKey&, std::int64_t)> fetch_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Timeline timeline_;
    Playhead playhead_;
    std::uint64_t wanted_ = 0,
                  done_ = 0;  ///< how often the playhead or the timeline changed, and up to which it was served
    bool isEnding_ = false;
    std::thread thread_;
};

}  // namespace reelbrush::cache
