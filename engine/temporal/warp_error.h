#pragma once

#include "engine/core/status.h"
#include "engine/imaging/optical_flow.h"

#include <opencv2/core.hpp>

namespace reelbrush::temporal {

/// How steady a restyled film is, against the film it was made from. Unitless.
struct WarpErrorReport {
    int frames = 0;
    /// Mean over all pairs of neighbouring frames of the squared difference, summed over RGB in [0,1], between a frame
    /// and the next one carried back along the input's flow, where that can be trusted.
    double inputError = 0;
    double outputError = 0;
    /// outputError / inputError: 1 is as steady as the input itself. Infinite where only the input stands quite still.
    double ratio = 1;
    /// The worst pair of the output over its mean; 1 is even.
    double worstOverMean = 1;
    /// Deviation of the Laplacian of the luma, mean over the output's frames over that of the input's.
    double sharpnessRatio = 1;
};

/// Measures a pair of films frame by frame; memory does not grow with their length. Thread: one at a time.
/// Source: Lai et al. 2018 (warp error with the input's flow, occlusions and motion borders left out).
class WarpErrorMeter {
  public:
    /// The next frame of the input and what was made of it, both [H,W,3] CV_32FC3 RGB in [0,1].
    /// Errors: BadInput where the two, or two frames of the film, differ in size; OutOfMemory. A frame that failed is
    /// not counted.
    Status add(const cv::Mat& input, const cv::Mat& output);

    /// What was measured so far. BadInput with fewer than two frames.
    Result<WarpErrorReport> report() const;

  private:
    struct Frame {
        cv::Mat input, output, inputGrey, outputGrey;
    };
    Status addPair(const Frame& next);

    imaging::OpticalFlow flow_{imaging::FlowPreset::Precise};
    Frame last_;
    int frames_ = 0;
    double inputErrorSum_ = 0, outputErrorSum_ = 0, worstOutputError_ = 0;
    double inputSharpnessSum_ = 0, outputSharpnessSum_ = 0;
};

}  // namespace reelbrush::temporal
