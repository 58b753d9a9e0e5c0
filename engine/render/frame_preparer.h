#pragma once

#include "engine/core/status.h"
#include "engine/imaging/control_image.h"
#include "engine/imaging/shot_cuts.h"
#include "engine/imaging/structure_image.h"
#include "engine/media/video_frame.h"
#include "kernels/tensor/memory_budget.h"

#include <opencv2/core.hpp>
#include <optional>
#include <vector>

namespace reelbrush::render {

/// A frame on its way to the painter. Its pixels are gone; what is left is what the later stages need.
struct PreparedFrame {
    /// Structure image, or the frame itself, [paintHeight, paintWidth, 3] CV_32FC3, continuous: see paintingSize.
    cv::Mat picture;
    std::vector<cv::Mat> controls;  ///< control pictures of that size
    /// The first frame of a shot: the painter draws the shot's noise before it.
    bool startsShot = false;
    /// Time, duration, index and alpha of the source frame; rgb is empty.
    media::VideoFrame frame;
    kernels::MemoryClaim memory{};  ///< what all of it takes, where that is counted
};

struct FramePreparation {
    std::optional<imaging::StructureOptions> structure{};  ///< nothing: the painter wants the frame itself
    std::vector<imaging::ControlPreprocessor> controls{};  ///< one control picture each
};

/// The stage between decoding and painting: finds shots, brings frames to the wanted size, computes structure images
/// and control pictures, and pads them. Thread: one at a time, frames in order.
class FramePreparer {
  public:
    /// size: of the picture to be written, before padding.
    FramePreparer(cv::Size size, FramePreparation preparation);

    /// Errors: BadInput (a frame that is no RGB float picture), OutOfMemory.
    Result<PreparedFrame> prepare(media::VideoFrame frame);
    /// Frames that follow each other, several at once.
    Result<std::vector<PreparedFrame>> prepareAll(std::vector<media::VideoFrame> frames);

  private:
    Result<PreparedFrame> preparedIn(bool startsShot, media::VideoFrame frame) const;
    Result<cv::Mat> padded(const cv::Mat& picture) const;

    cv::Size size_;
    FramePreparation preparation_;
    imaging::ShotCutDetector shots_;
};

}  // namespace reelbrush::render
