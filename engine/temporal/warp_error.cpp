#include "engine/temporal/warp_error.h"

#include "engine/imaging/opencv_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <opencv2/imgproc.hpp>

namespace reelbrush::temporal {

namespace {

constexpr const char* kOperation = "warp error";

std::string sizeText(const cv::Mat& picture) {
    return fmt::format("{}x{}", picture.cols, picture.rows);
}

/// Mean over the visible pixels of the squared difference, summed over channels; 0 where none is visible.
Result<double> carriedBackError(const cv::Mat& frame, const cv::Mat& next, const cv::Mat& forth,
                                const cv::Mat& visible) {
    RB_ASSIGN(const cv::Mat carried, imaging::warpByFlow(next, forth));
    return imaging::guarded(kOperation, [&]() -> Result<double> {
        const double squares = cv::norm(frame, carried, cv::NORM_L2SQR, visible);
        return squares / std::max(1, cv::countNonZero(visible));
    });
}

Result<double> sharpness(const cv::Mat& grey) {
    return imaging::guarded(kOperation, [&]() -> Result<double> {
        cv::Mat laplacian;
        cv::Laplacian(grey, laplacian, CV_32F);
        cv::Scalar mean, deviation;
        cv::meanStdDev(laplacian, mean, deviation);
        return deviation[0];
    });
}

/// numerator / denominator, where nothing over nothing counts as equal.
double ratioOf(double numerator, double denominator) {
    if (denominator > 0) return numerator / denominator;
    return numerator > 0 ? std::numeric_limits<double>::infinity() : 1;
}

}  // namespace

Status WarpErrorMeter::add(const cv::Mat& input, const cv::Mat& output) {
    if (input.size() != output.size())
        return fail(StatusCode::BadInput, fmt::format("{}: the input frame is {}, the output frame {}", kOperation,
                                                      sizeText(input), sizeText(output)));
    if (frames_ > 0 && input.size() != last_.input.size())
        return fail(StatusCode::BadInput, fmt::format("{}: frame {} is {}, those before it {}", kOperation, frames_,
                                                      sizeText(input), sizeText(last_.input)));
    Frame next;
    RB_ASSIGN(next.inputGrey, imaging::greyForFlow(input));
    RB_ASSIGN(next.outputGrey, imaging::greyForFlow(output));
    RB_ASSIGN(const double inputSharpness, sharpness(next.inputGrey));
    RB_ASSIGN(const double outputSharpness, sharpness(next.outputGrey));
    next.input = input.clone();
    next.output = output.clone();
    if (frames_ > 0) RB_TRY(addPair(next));
    inputSharpnessSum_ += inputSharpness;
    outputSharpnessSum_ += outputSharpness;
    last_ = std::move(next);
    ++frames_;
    return {};
}

Status WarpErrorMeter::addPair(const Frame& next) {
    RB_ASSIGN(const cv::Mat forth, flow_.between(last_.inputGrey, next.inputGrey));
    RB_ASSIGN(const cv::Mat back, flow_.between(next.inputGrey, last_.inputGrey));
    RB_ASSIGN(const cv::Mat visible, imaging::visiblePixels(forth, back));
    RB_ASSIGN(const double inputError, carriedBackError(last_.input, next.input, forth, visible));
    RB_ASSIGN(const double outputError, carriedBackError(last_.output, next.output, forth, visible));
    inputErrorSum_ += inputError;
    outputErrorSum_ += outputError;
    worstOutputError_ = std::max(worstOutputError_, outputError);
    return {};
}

Result<WarpErrorReport> WarpErrorMeter::report() const {
    if (frames_ < 2)
        return fail(StatusCode::BadInput, fmt::format("{}: needs at least two frames, got {}", kOperation, frames_));
    const int pairs = frames_ - 1;
    WarpErrorReport report;
    report.frames = frames_;
    report.inputError = inputErrorSum_ / pairs;
    report.outputError = outputErrorSum_ / pairs;
    report.ratio = ratioOf(report.outputError, report.inputError);
    report.worstOverMean = ratioOf(worstOutputError_, report.outputError);
    report.sharpnessRatio = ratioOf(outputSharpnessSum_, inputSharpnessSum_);
    return report;
}

}  // namespace reelbrush::temporal
