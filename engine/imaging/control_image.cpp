#include "engine/imaging/control_image.h"

#include "engine/imaging/opencv_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace reelbrush::imaging {

namespace {

constexpr const char* kOperation = "control picture";

cv::Mat blurred(const cv::Mat& picture, double sigma) {
    if (sigma <= 0) return picture;
    cv::Mat result;
    cv::GaussianBlur(picture, result, {}, sigma, sigma, cv::BORDER_REPLICATE);
    return result;
}

cv::Mat inThreeChannels(const cv::Mat& plane) {
    cv::Mat result;
    cv::cvtColor(plane, result, cv::COLOR_GRAY2RGB);
    return result;
}

/// White edges of one pixel, 8-bit.
cv::Mat edges(const cv::Mat& picture, double smoothing, const ControlImageOptions& options) {
    cv::Mat bytes, result;
    blurred(picture, smoothing).convertTo(bytes, CV_8U, 255);
    cv::Canny(bytes, result, options.lowThreshold * 255, options.highThreshold * 255);
    return result;
}

cv::Mat canny(const cv::Mat& picture, const ControlImageOptions& options) {
    cv::Mat result;
    edges(picture, options.smoothing, options).convertTo(result, CV_32F, 1.0 / 255);
    return inThreeChannels(result);
}

/// How steep the strongest channel is, per pixel.
cv::Mat steepness(const cv::Mat& picture) {
    cv::Mat dx, dy, magnitude, result;
    cv::Sobel(picture, dx, CV_32F, 1, 0, 3, 1.0 / 8, 0, cv::BORDER_REPLICATE);
    cv::Sobel(picture, dy, CV_32F, 0, 1, 3, 1.0 / 8, 0, cv::BORDER_REPLICATE);
    magnitude = dx.mul(dx) + dy.mul(dy);
    cv::sqrt(magnitude, magnitude);
    cv::reduce(magnitude.reshape(1, static_cast<int>(magnitude.total())), result, 1, cv::REDUCE_MAX);
    return result.reshape(1, picture.rows);
}

/// A fine and a coarse scale, each pressed into 0..1 by a curve of its own: a blur of twice the width halves steepness.
cv::Mat softEdge(const cv::Mat& picture, const ControlImageOptions& options) {
    constexpr double kCoarser = 2.5, kHalfway = 0.05;
    const double fineSigma = std::max(options.smoothing, 0.5);
    const cv::Mat fine = steepness(blurred(picture, fineSigma));
    const cv::Mat coarse = steepness(blurred(picture, fineSigma * kCoarser)) * kCoarser;
    cv::Mat together = (fine + coarse) / 2;
    for (int y = 0; y < together.rows; ++y) {
        float* row = together.ptr<float>(y);
        for (int x = 0; x < together.cols; ++x) {
            const double square = row[x] * row[x];
            row[x] = static_cast<float>(square / (square + kHalfway * kHalfway));
        }
    }
    return inThreeChannels(together);
}

/// Edges of what is left after a strong blur, drawn broad.
cv::Mat scribble(const cv::Mat& picture, const ControlImageOptions& options) {
    constexpr double kCoarser = 3.0;
    ControlImageOptions gentler = options;
    gentler.lowThreshold /= kCoarser;
    gentler.highThreshold /= kCoarser;
    cv::Mat strokes, result;
    const cv::Mat brush = cv::getStructuringElement(cv::MORPH_ELLIPSE, {5, 5});
    cv::dilate(edges(picture, std::max(options.smoothing, 0.5) * kCoarser, gentler), strokes, brush);
    strokes.convertTo(result, CV_32F, 1.0 / 255);
    return inThreeChannels(result);
}

/// How much darker than its surroundings a pixel is, in the channel where it is the least so.
cv::Mat lineart(const cv::Mat& picture, const ControlImageOptions& options) {
    constexpr double kSurroundings = 6.0, kContrast = 8.0;
    const cv::Mat difference = blurred(picture, kSurroundings) - blurred(picture, options.smoothing / 2);
    cv::Mat least;
    cv::reduce(difference.reshape(1, static_cast<int>(difference.total())), least, 1, cv::REDUCE_MIN);
    return inThreeChannels(least.reshape(1, picture.rows) * kContrast);
}

cv::Mat luminance(const cv::Mat& picture) {
    cv::Mat grey;
    cv::cvtColor(picture, grey, cv::COLOR_RGB2GRAY);
    return inThreeChannels(grey);
}

cv::Mat tile(const cv::Mat& picture, int factor) {
    const cv::Size smaller(std::max(1, picture.cols / factor), std::max(1, picture.rows / factor));
    cv::Mat small, result;
    cv::resize(picture, small, smaller, 0, 0, cv::INTER_AREA);
    cv::resize(small, result, picture.size(), 0, 0, cv::INTER_CUBIC);
    return result;
}

cv::Mat drawn(ControlPreprocessor kind, const cv::Mat& picture, const ControlImageOptions& options) {
    switch (kind) {
        case ControlPreprocessor::None:
            return picture;
        case ControlPreprocessor::Canny:
            return canny(picture, options);
        case ControlPreprocessor::SoftEdge:
            return softEdge(picture, options);
        case ControlPreprocessor::Scribble:
            return scribble(picture, options);
        case ControlPreprocessor::Lineart:
            return lineart(picture, options);
        case ControlPreprocessor::Luminance:
            return luminance(picture);
        case ControlPreprocessor::Tile:
            return tile(picture, options.tileFactor);
    }
    return picture;
}

/// Values that are no numbers become 0.
cv::Mat clamped(const cv::Mat& picture) {
    cv::Mat result = picture.clone();
    for (int y = 0; y < result.rows; ++y) {
        float* row = result.ptr<float>(y);
        for (int x = 0; x < result.cols * 3; ++x) row[x] = row[x] >= 0.0F ? std::min(row[x], 1.0F) : 0.0F;
    }
    return result;
}

Status checkOptions(const ControlImageOptions& options) {
    const auto wrong = [](const char* what) {
        return fail(StatusCode::BadInput, fmt::format("{}: {}", kOperation, what));
    };
    if (!(options.lowThreshold >= 0 && options.lowThreshold <= options.highThreshold && options.highThreshold <= 1))
        return wrong("edge thresholds must satisfy 0 <= low <= high <= 1");
    if (!(options.smoothing >= 0 && options.smoothing <= 20)) return wrong("smoothing must lie in 0..20 pixels");
    if (options.tileFactor < 1 || options.tileFactor > 64) return wrong("the tile factor must lie in 1..64");
    return {};
}

}  // namespace

Result<cv::Mat> makeControlImage(ControlPreprocessor kind, const cv::Mat& picture, const ControlImageOptions& options) {
    RB_TRY(checkPicture(kOperation, picture));
    RB_TRY(checkOptions(options));
    return guarded(kOperation, [&]() -> Result<cv::Mat> { return clamped(drawn(kind, clamped(picture), options)); });
}

}  // namespace reelbrush::imaging
