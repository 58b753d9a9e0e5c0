#include "engine/imaging/optical_flow.h"

#include "engine/imaging/opencv_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace reelbrush::imaging {

namespace {

// Below this the search has no pyramid level to begin with.
constexpr int kSmallestSide = 32;

int presetOf(FlowPreset preset) {
    switch (preset) {
        case FlowPreset::Fastest:
            return cv::DISOpticalFlow::PRESET_ULTRAFAST;
        case FlowPreset::Fast:
            return cv::DISOpticalFlow::PRESET_FAST;
        case FlowPreset::Precise:
            return cv::DISOpticalFlow::PRESET_MEDIUM;
    }
    return cv::DISOpticalFlow::PRESET_FAST;
}

Status checkMat(const char* operation, const cv::Mat& mat, int type) {
    if (!mat.empty() && mat.dims == 2 && mat.type() == type) return {};
    return fail(StatusCode::BadInput, fmt::format("{}: expected {}, got {} of {}x{}", operation, cv::typeToString(type),
                                                  cv::typeToString(mat.type()), mat.cols, mat.rows));
}

Status checkSameSize(const char* operation, const cv::Mat& one, const cv::Mat& other) {
    if (one.size() == other.size()) return {};
    return fail(StatusCode::BadInput, fmt::format("{}: sizes differ: {}x{} and {}x{}", operation, one.cols, one.rows,
                                                  other.cols, other.rows));
}

cv::Mat grownTo(const cv::Mat& grey, cv::Size size) {
    if (grey.size() == size) return grey;
    cv::Mat grown;
    cv::copyMakeBorder(grey, grown, 0, size.height - grey.rows, 0, size.width - grey.cols, cv::BORDER_REPLICATE);
    return grown;
}

/// Neighbours of index i for a central difference, one-sided at the ends; the distance between them is 0, 1 or 2.
cv::Range neighbours(int i, int count) {
    return {std::max(i - 1, 0), std::min(i + 1, count - 1)};
}

float squaredSlope(const cv::Vec2f& low, const cv::Vec2f& high, int distance) {
    if (distance == 0) return 0;
    const cv::Vec2f slope = (high - low) / static_cast<float>(distance);
    return slope.dot(slope);
}

}  // namespace

Result<cv::Mat> greyForFlow(const cv::Mat& picture) {
    constexpr const char* kOperation = "grey picture for optical flow";
    RB_TRY(checkPicture(kOperation, picture));
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        cv::Mat bytes, grey;
        picture.convertTo(bytes, CV_8U, 255);
        cv::cvtColor(bytes, grey, cv::COLOR_RGB2GRAY);
        return grey;
    });
}

Result<cv::Mat> OpticalFlow::between(const cv::Mat& from, const cv::Mat& to) {
    constexpr const char* kOperation = "optical flow";
    RB_TRY(checkMat(kOperation, from, CV_8UC1));
    RB_TRY(checkMat(kOperation, to, CV_8UC1));
    RB_TRY(checkSameSize(kOperation, from, to));
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        const cv::Size size(std::max(from.cols, kSmallestSide), std::max(from.rows, kSmallestSide));
        // For small pictures the search alters its own settings, and would keep them for larger ones.
        if (!engine_ || engineSize_ != size) engine_ = cv::DISOpticalFlow::create(presetOf(preset_));
        engineSize_ = size;
        cv::Mat flow;
        engine_->calc(grownTo(from, size), grownTo(to, size), flow);
        if (size == from.size()) return flow;
        return flow(cv::Rect({0, 0}, from.size())).clone();
    });
}

Result<cv::Mat> warpByFlow(const cv::Mat& picture, const cv::Mat& flow, WarpFilter filter) {
    constexpr const char* kOperation = "warp by flow";
    RB_TRY(checkMat(kOperation, flow, CV_32FC2));
    RB_TRY(checkMat(kOperation, picture, CV_32FC(std::clamp(picture.channels(), 1, 4))));
    RB_TRY(checkSameSize(kOperation, picture, flow));
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        cv::Mat positions(flow.size(), CV_32FC2), warped;
        for (int y = 0; y < flow.rows; ++y) {
            const auto* way = flow.ptr<cv::Vec2f>(y);
            auto* position = positions.ptr<cv::Vec2f>(y);
            for (int x = 0; x < flow.cols; ++x)
                position[x] = way[x] + cv::Vec2f(static_cast<float>(x), static_cast<float>(y));
        }
        const int interpolation = filter == WarpFilter::Linear  ? cv::INTER_LINEAR
                                  : filter == WarpFilter::Cubic ? cv::INTER_CUBIC
                                                                : cv::INTER_LANCZOS4;
        cv::remap(picture, warped, positions, {}, interpolation, cv::BORDER_REPLICATE);
        return warped;
    });
}

Result<cv::Mat> visiblePixels(const cv::Mat& forth, const cv::Mat& back) {
    constexpr const char* kOperation = "visible pixels";
    RB_TRY(checkMat(kOperation, forth, CV_32FC2));
    RB_TRY(checkMat(kOperation, back, CV_32FC2));
    RB_TRY(checkSameSize(kOperation, forth, back));
    RB_ASSIGN(const cv::Mat backSeen, warpByFlow(back, forth));
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        cv::Mat visible(forth.size(), CV_8UC1);
        for (int y = 0; y < forth.rows; ++y) {
            const cv::Range rows = neighbours(y, forth.rows);
            const auto *above = forth.ptr<cv::Vec2f>(rows.start), *below = forth.ptr<cv::Vec2f>(rows.end);
            const auto *way = forth.ptr<cv::Vec2f>(y), *wayBack = backSeen.ptr<cv::Vec2f>(y);
            for (int x = 0; x < forth.cols; ++x) {
                const cv::Range columns = neighbours(x, forth.cols);
                const float length2 = way[x].dot(way[x]), lengthBack2 = wayBack[x].dot(wayBack[x]);
                const cv::Vec2f miss = way[x] + wayBack[x];
                const bool hidden = miss.dot(miss) > 0.01F * (length2 + lengthBack2) + 0.5F;
                const float slope2 = squaredSlope(way[columns.start], way[columns.end], columns.size()) +
                                     squaredSlope(above[x], below[x], rows.size());
                visible.at<uchar>(y, x) = hidden || slope2 > 0.01F * length2 + 0.002F ? 0 : 255;
            }
        }
        return visible;
    });
}

}  // namespace reelbrush::imaging
