#include "engine/imaging/structure_image.h"

#include "engine/imaging/opencv_guard.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace reelbrush::imaging {

namespace {

constexpr const char* kOperation = "structure image";
constexpr int kBoxRadius = 4;

// OpenCV sums float boxes in double, so that the small variance of flat areas survives the subtraction below.
cv::Mat box(const cv::Mat& plane) {
    cv::Mat mean;
    const int side = 2 * kBoxRadius + 1;
    cv::boxFilter(plane, mean, CV_32F, {side, side}, {-1, -1}, true, cv::BORDER_REFLECT_101);
    return mean;
}

cv::Mat selfGuided(const cv::Mat& plane, float eps) {
    cv::Mat slope = box(plane.mul(plane)), offset = box(plane);
    for (int y = 0; y < plane.rows; ++y) {
        float* a = slope.ptr<float>(y);
        float* b = offset.ptr<float>(y);
        for (int x = 0; x < plane.cols; ++x) {
            const float mean = b[x], variance = std::max(a[x] - mean * mean, 0.0F);
            a[x] = variance / (variance + eps);
            b[x] = mean * (1.0F - a[x]);
        }
    }
    cv::Mat result = box(slope);
    cv::multiply(result, plane, result);
    cv::add(result, box(offset), result);
    return result;
}

cv::Mat gaussianBlur(const cv::Mat& plane, double sigma) {
    const int radius = static_cast<int>(std::ceil(3 * sigma));
    const cv::Mat kernel = cv::getGaussianKernel(2 * radius + 1, sigma, CV_32F);
    cv::Mat blurred;
    cv::sepFilter2D(plane, blurred, CV_32F, kernel, kernel, {-1, -1}, 0, cv::BORDER_REFLECT_101);
    return blurred;
}

// The weighted sum of the three colour differences is zero, so that green follows from red and blue.
cv::Mat withColours(const cv::Mat& picture, const cv::Mat& luma, const cv::Mat& structure, double sigma) {
    std::array<cv::Mat, 3> channels;
    for (const int c : {0, 2}) {
        cv::extractChannel(picture, channels[c], c);
        channels[c] = gaussianBlur(channels[c] - luma, sigma);
    }
    channels[1] = channels[0] * (-0.299 / 0.587) + channels[2] * (-0.114 / 0.587);
    for (cv::Mat& channel : channels) channel += structure;
    cv::Mat result;
    cv::merge(channels, result);
    return result;
}

}  // namespace

Result<cv::Mat> structureImage(const cv::Mat& picture, const StructureOptions& options) {
    RB_TRY(checkPicture(kOperation, picture));
    if (!(options.freedom >= 0 && options.freedom <= 1))
        return fail(StatusCode::BadInput,
                    fmt::format("{}: freedom must lie in 0..1, not {}", kOperation, options.freedom));
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        const double freedom = options.freedom;
        const auto eps = static_cast<float>(0.0005 * std::pow(100.0, freedom));
        cv::Mat luma;
        cv::cvtColor(picture, luma, cv::COLOR_RGB2GRAY);
        const cv::Mat structure = gaussianBlur(selfGuided(selfGuided(luma, eps), eps), 0.3 + 2.2 * freedom);
        if (options.keepColours) return withColours(picture, luma, structure, 4 + 3 * freedom);
        cv::Mat result;
        cv::cvtColor(structure, result, cv::COLOR_GRAY2RGB);
        return result;
    });
}

}  // namespace reelbrush::imaging
