#pragma once

#include "engine/media/video_frame.h"
#include "engine/render/frame_preparer.h"
#include "kernels/tensor/memory_budget.h"

#include <memory>
#include <opencv2/core/mat.hpp>
#include <span>

namespace reelbrush::render {

/// Counts what frames in flight take, by stage, in a budget without a ceiling. Thread-safe.
class FrameAccount {
  public:
    /// budget: null counts nothing.
    explicit FrameAccount(std::shared_ptr<kernels::MemoryBudget> budget) : budget_(std::move(budget)) {}

    kernels::MemoryClaim decoded(const media::VideoFrame& frame) const;
    kernels::MemoryClaim prepared(const PreparedFrame& frame) const;
    /// pictures: what goes with the painting; empty ones take nothing.
    kernels::MemoryClaim painted(std::span<const cv::Mat> pictures) const;

  private:
    kernels::MemoryClaim claim(std::span<const cv::Mat> pictures, const char* stage) const;

    std::shared_ptr<kernels::MemoryBudget> budget_;
};

}  // namespace reelbrush::render
