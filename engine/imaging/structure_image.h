#pragma once

#include "engine/core/status.h"

#include <opencv2/core.hpp>

namespace reelbrush::imaging {

struct StructureOptions {
    /// How much of the frame's detail is thrown away, 0..1; one minus the user's "structure".
    double freedom = 0.6;
    /// Carries the frame's colours along, blurred; otherwise all three channels hold the same grey.
    bool keepColours = false;
};

/// What the starter model sees of a frame: its luma, smoothed but for the edges (two self-guided filters of box radius
/// 4, eps 0.0005 * 100^freedom), then blurred (sigma 0.3 + 2.2 freedom); with colours kept each channel adds its
/// difference from the unsmoothed luma, blurred (sigma 4 + 3 freedom). Borders are mirrored about the edge pixel.
/// picture [H,W,3] RGB in [0,1]; any size from 1x1. Result [H,W,3], not clamped: about [-0.1,1.1] with colours kept.
/// Errors: BadInput for another kind of picture or a freedom outside 0..1; OutOfMemory. Thread: any.
/// Source: He et al. 2010 (guided filter); resources/models/starter for the rest.
Result<cv::Mat> structureImage(const cv::Mat& picture, const StructureOptions& options = {});

}  // namespace reelbrush::imaging
