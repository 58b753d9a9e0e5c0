#pragma once

#include "engine/core/status.h"

#include <opencv2/core.hpp>
#include <opencv2/video.hpp>

/// Motion between frames, and pictures carried along it.
/// A flow is [H,W,2] CV_32FC2: for each pixel of the frame it starts from, the way (x, y) in pixels to where it is seen
/// in the other frame. Errors: BadInput for other kinds or different sizes; OutOfMemory.
namespace reelbrush::imaging {

/// Speed against precision of the dense inverse search, measured at 720p with two threads: 14, 23 and 90 ms.
enum class FlowPreset { Fastest, Fast, Precise };

/// What flow is computed on: grey [H,W] CV_8UC1 of a picture [H,W,3] CV_32FC3 RGB in [0,1]. Keep it for the next frame.
Result<cv::Mat> greyForFlow(const cv::Mat& picture);

/// Flow by dense inverse search (Kroeger et al. 2016). Keeps its buffers from call to call: one object a thread.
class OpticalFlow {
  public:
    explicit OpticalFlow(FlowPreset preset = FlowPreset::Fast) : preset_(preset) {}

    /// Flow of the pixels of `from` into `to`, both as greyForFlow gives them and of one size, any from 1x1.
    Result<cv::Mat> between(const cv::Mat& from, const cv::Mat& to);

  private:
    FlowPreset preset_;
    cv::Ptr<cv::DISOpticalFlow> engine_;
    cv::Size engineSize_;
};

enum class WarpFilter { Linear, Cubic, Lanczos };

/// The picture as seen from the frame that `flow` starts from: result(p) = picture(p + flow(p)), the border repeated.
/// picture [H,W] or [H,W,C] of floats, C up to 4. Cubic and Lanczos overshoot a little.
Result<cv::Mat> warpByFlow(const cv::Mat& picture, const cv::Mat& flow, WarpFilter filter = WarpFilter::Linear);

/// Where the way forth can be trusted: it agrees with the way back, and lies off the borders of moving things.
/// Result [H,W] CV_8UC1 on the grid of `forth`: 255 visible, 0 not. Source: Lai et al. 2018 after Ruder et al. 2016.
Result<cv::Mat> visiblePixels(const cv::Mat& forth, const cv::Mat& back);

}  // namespace reelbrush::imaging
