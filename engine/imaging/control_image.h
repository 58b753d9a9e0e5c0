#pragma once

#include "engine/core/status.h"

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace reelbrush::imaging {

/// What is drawn from a frame for a ControlNet to follow; none of them needs weights.
enum class ControlPreprocessor {
    None,       ///< the picture as it is
    Canny,      ///< thin white edges on black
    SoftEdge,   ///< edges as broad as they are soft, grey on black, like HED's
    Scribble,   ///< few broad white strokes on black
    Lineart,    ///< dark lines and creases, white on black
    Luminance,  ///< the picture in grey
    Tile,       ///< the picture with its detail taken away
};

struct ControlImageOptions {
    /// Of the gradient at which an edge begins, and at which it must arrive once; 0..1, Canny and Scribble.
    double lowThreshold = 100.0 / 255, highThreshold = 200.0 / 255;
    /// Gaussian blur before edges are looked for, in pixels, 0..20: grain would make them flicker.
    double smoothing = 1.0;
    int tileFactor = 4;  ///< how many times smaller Tile makes the picture before it grows back, 1..64
};

/// Every threshold is fixed, none is measured on the frame, so that what is drawn stays the same where the frame does.
/// picture [H,W,3] RGB in [0,1] (clamped); any size from 1x1. Result: the same size and kind, in [0,1].
/// Errors: BadInput for another kind of picture or senseless options; OutOfMemory. Thread: any.
/// Source: Canny 1986; Zhang et al. 2023 for what ControlNets are trained on.
Result<cv::Mat> makeControlImage(ControlPreprocessor kind, const cv::Mat& picture,
                                 const ControlImageOptions& options = {});

/// "none", "canny", "soft edge", "scribble", "lineart", "luminance" or "tile"; also "hed", "pidinet", "grey", "gray"
/// and "brightness". Capitals, spaces, - and _ do not matter. Errors: BadInput, lists the names.
Result<ControlPreprocessor> controlPreprocessorNamed(std::string_view name);

/// The name that controlPreprocessorNamed takes.
const char* nameOf(ControlPreprocessor kind);

/// What a ControlNet's file name says that it follows ("control_v11p_sd15_softedge"); nothing where it says nothing, or
/// names what cannot be drawn without weights (depth, pose).
std::optional<ControlPreprocessor> controlPreprocessorOfFile(std::string_view fileName);

}  // namespace reelbrush::imaging
