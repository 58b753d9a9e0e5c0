#pragma once

#include "engine/diffusion/frame_painter.h"
#include "engine/render/frame_preparer.h"

#include <cstddef>
#include <span>
#include <vector>

namespace reelbrush::render {

/// Gathers the frames of a shot until a painter's window is full. Where frames are related, those that are painted stay
/// for the windows after them: as many as the overlap in the middle of a shot, and at its end as many as the last
/// window has room for.
/// Holds at most 2 * windowFrames frames. Thread: one at a time.
class PaintingWindow {
  public:
    /// needs.windowFrames: at least 1. needs.windowOverlap: 0 to windowFrames - 1.
    explicit PaintingWindow(const diffusion::PainterNeeds& needs);

    void add(PreparedFrame frame) { frames_.push_back(std::move(frame)); }
    /// The next frame does not follow the last one.
    void startShot();

    bool hasWaiting() const { return frames_.size() > paintedCount_; }
    /// A whole window can be painted.
    bool isFull() const;
    /// The window as it would be painted now: frames that are painted already, then all that wait.
    std::span<PreparedFrame> window();
    /// Those of window() that wait to be painted.
    std::span<PreparedFrame> waiting() { return std::span(frames_).subspan(paintedCount_); }
    /// All that waited are painted now. Spans end.
    void markPainted();

  private:
    std::size_t windowFrames_, overlap_, mostKept_;
    std::vector<PreparedFrame> frames_;  ///< painted ones first
    std::size_t paintedCount_ = 0;
};

}  // namespace reelbrush::render
