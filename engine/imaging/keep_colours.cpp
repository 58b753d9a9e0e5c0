#include "engine/imaging/keep_colours.h"

#include "engine/imaging/opencv_guard.h"

#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

namespace reelbrush::imaging {

namespace {

constexpr const char* kOperation = "keeping colours";

}  // namespace

Result<cv::Mat> keepColours(const cv::Mat& painting, const cv::Mat& frame, double sigma) {
    RB_TRY(checkPicture(kOperation, painting));
    RB_TRY(checkPicture(kOperation, frame));
    if (painting.size() != frame.size() || !(sigma > 0))
        return fail(StatusCode::BadInput,
                    fmt::format("{}: painting and frame must be of one size, and sigma above 0", kOperation));
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        cv::Mat paintingLight, frameLight, missing;
        cv::cvtColor(painting, paintingLight, cv::COLOR_RGB2GRAY);
        cv::cvtColor(frame, frameLight, cv::COLOR_RGB2GRAY);
        cv::cvtColor(paintingLight, paintingLight, cv::COLOR_GRAY2RGB);
        cv::cvtColor(frameLight, frameLight, cv::COLOR_GRAY2RGB);
        // What each channel lies above the lightness has a weighted sum of zero: adding it changes no lightness.
        cv::GaussianBlur((frame - frameLight) - (painting - paintingLight), missing, {0, 0}, sigma, sigma,
                         cv::BORDER_REFLECT_101);
        cv::Mat result = painting + missing;
        cv::min(result, 1.0, result);
        cv::max(result, 0.0, result);
        return result;
    });
}

}  // namespace reelbrush::imaging
