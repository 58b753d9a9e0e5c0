#include "engine/render/painting_window.h"

#include <algorithm>

namespace reelbrush::render {

PaintingWindow::PaintingWindow(const diffusion::PainterNeeds& needs)
    : windowFrames_(static_cast<std::size_t>(std::max(1, needs.windowFrames))),
      overlap_(std::min(static_cast<std::size_t>(std::max(0, needs.windowOverlap)), windowFrames_ - 1)),
      mostKept_(needs.relatesFrames ? windowFrames_ - 1 : 0) {}

void PaintingWindow::startShot() {
    frames_.clear();
    paintedCount_ = 0;
}

bool PaintingWindow::isFull() const {
    return frames_.size() - paintedCount_ + std::min(overlap_, paintedCount_) >= windowFrames_;
}

std::span<PreparedFrame> PaintingWindow::window() {
    return std::span(frames_).last(std::min(frames_.size(), windowFrames_));
}

void PaintingWindow::markPainted() {
    const std::size_t keep = std::min(frames_.size(), mostKept_);
    frames_.erase(frames_.begin(), frames_.end() - static_cast<std::ptrdiff_t>(keep));
    paintedCount_ = frames_.size();
}

}  // namespace reelbrush::render
