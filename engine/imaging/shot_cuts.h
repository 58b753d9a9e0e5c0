#pragma once

#include "engine/core/status.h"

#include <deque>
#include <opencv2/core.hpp>

namespace reelbrush::imaging {

struct ShotCutOptions {
    /// Least change, 0..1, that is taken for a cut. Lower finds more cuts, and more false ones.
    double threshold = 0.42;
    /// A cut must also change this many times as much as the shot's frames have lately changed.
    double overMotion = 1.5;
    /// No cut is told before the shot has this many frames.
    int minimumShotFrames = 8;
};

/// Finds hard cuts while frames come in, without looking ahead. Compares colours (a coarse HSV histogram) and drawing
/// (luma without its slow parts, so without brightness, at the best of some small shifts) at 64x36, and takes it for a
/// cut only if both change, and against each of the last few frames: motion changes the drawing but not the colours, a
/// flash the colours but not the drawing, and after a flash the old picture comes back. Frames of a single colour are
/// passed over; the first frame after them that shows something is compared with the last one before.
/// Not found: dissolves, wipes and fades.
class ShotCutDetector {
  public:
    explicit ShotCutDetector(const ShotCutOptions& options = {}) : options_(options) {}

    /// Whether this frame starts a new shot; the first frame does.
    /// picture [H,W,3] CV_32FC3 RGB in [0,1], any size from 1x1. Errors: BadInput for another kind of picture;
    /// OutOfMemory. Thread: one at a time, frames in order.
    Result<bool> startsShot(const cv::Mat& picture);

    /// How much the last frame changed, 0..1: what `threshold` is held against.
    double lastChange() const { return lastChange_; }

  private:
    /// What is remembered of a frame.
    struct Look {
        cv::Mat histogram;  // [bins, 1], sums to 1
        cv::Mat drawing;    // [36, 64]
    };
    static Look lookAt(const cv::Mat& small);
    static double changeBetween(const Look& before, const Look& after);
    bool compare(Look look);

    ShotCutOptions options_;
    std::deque<Look> recent_;  // of this shot, newest last
    double usualChange_ = 0;   // running average within this shot
    double lastChange_ = 0;
    int shotFrames_ = 0;  // 0 before the first frame
};

}  // namespace reelbrush::imaging
