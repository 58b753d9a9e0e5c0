#include "engine/imaging/shot_cuts.h"

#include "engine/imaging/opencv_guard.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace reelbrush::imaging {

namespace {

const cv::Size kLookSize(64, 36);
const cv::Size kLargestShift(10, 6);
constexpr double kSlowPartsSigma = 6;
// Longer than a flash, so that one of them shows the scene without it.
constexpr std::size_t kRememberedFrames = 6;
constexpr double kAverageWeight = 0.1;
constexpr double kBlankDeviation = 0.02;

cv::Mat hsvHistogram(const cv::Mat& picture) {
    // Hue counts most; the ends are open, hence the last bit beyond each range.
    constexpr std::array<int, 3> kBins{8, 4, 4};
    constexpr float kEnd = 1.0001F;
    cv::Mat hsv;
    cv::cvtColor(picture, hsv, cv::COLOR_RGB2HSV);
    cv::Mat histogram(kBins[0] * kBins[1] * kBins[2], 1, CV_32F, cv::Scalar(0));
    for (int y = 0; y < hsv.rows; ++y) {
        for (int x = 0; x < hsv.cols; ++x) {
            const auto& pixel = hsv.at<cv::Vec3f>(y, x);
            const std::array<float, 3> unit{pixel[0] / 360, pixel[1], pixel[2]};
            int bin = 0;
            for (int c = 0; c < 3; ++c)
                bin = bin * kBins[c] + std::clamp(static_cast<int>(unit[c] / kEnd * kBins[c]), 0, kBins[c] - 1);
            histogram.at<float>(bin) += 1;
        }
    }
    return histogram / static_cast<double>(hsv.total());
}

}  // namespace

ShotCutDetector::Look ShotCutDetector::lookAt(const cv::Mat& small) {
    cv::Mat luma, slow;
    cv::cvtColor(small, luma, cv::COLOR_RGB2GRAY);
    cv::GaussianBlur(luma, slow, {0, 0}, kSlowPartsSigma);
    return {hsvHistogram(small), luma - slow};
}

double ShotCutDetector::changeBetween(const Look& before, const Look& after) {
    const double sameColours = cv::sum(cv::min(before.histogram, after.histogram))[0];
    const cv::Rect middle({kLargestShift.width, kLargestShift.height}, kLookSize - kLargestShift - kLargestShift);
    cv::Mat likeness;
    cv::matchTemplate(before.drawing, after.drawing(middle), likeness, cv::TM_CCOEFF_NORMED);
    double sameDrawing = 0;
    cv::minMaxLoc(likeness, nullptr, &sameDrawing);
    return std::sqrt(std::clamp(1 - sameColours, 0.0, 1.0) * std::clamp(1 - sameDrawing, 0.0, 1.0));
}

bool ShotCutDetector::compare(Look look) {
    double change = recent_.empty() ? 0 : 1;
    for (const Look& before : recent_) change = std::min(change, changeBetween(before, look));
    const bool cut = shotFrames_ >= options_.minimumShotFrames && change > options_.threshold &&
                     change > options_.overMotion * usualChange_;
    lastChange_ = change;
    if (cut) {
        recent_.clear();
        usualChange_ = 0;
        shotFrames_ = 0;
    } else {
        usualChange_ += kAverageWeight * (change - usualChange_);
    }
    recent_.push_back(std::move(look));
    if (recent_.size() > kRememberedFrames) recent_.pop_front();
    return cut;
}

Result<bool> ShotCutDetector::startsShot(const cv::Mat& picture) {
    constexpr const char* kOperation = "shot cuts";
    RB_TRY(checkPicture(kOperation, picture));
    return guarded(kOperation, [&]() -> Result<bool> {
        const bool first = shotFrames_ == 0;
        cv::Mat small;
        cv::resize(picture, small, kLookSize, 0, 0, cv::INTER_AREA);
        cv::Scalar mean, deviation;
        cv::meanStdDev(small, mean, deviation);
        const bool blank = std::max({deviation[0], deviation[1], deviation[2]}) < kBlankDeviation;
        lastChange_ = 0;
        const bool cut = !blank && compare(lookAt(small));
        ++shotFrames_;
        return first || cut;
    });
}

}  // namespace reelbrush::imaging
