#include "engine/session/style_picture.h"

#include "engine/imaging/fit_picture.h"
#include "engine/media/frame_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/core.hpp>

namespace reelbrush::session {

namespace {

Result<cv::Mat> firstPicture(const std::filesystem::path& file) {
    media::OpenOptions options;
    options.lastFrame = 0;
    RB_ASSIGN(const auto source, media::openFrameSource(file, options));
    RB_ASSIGN(std::optional<media::VideoFrame> frame, source->next());
    if (!frame) return fail(StatusCode::BadInput, fmt::format("'{}' holds no picture", file.string()));
    if (frame->alpha.empty()) return frame->rgb;
    for (int y = 0; y < frame->rgb.rows; ++y) {
        const auto* alpha = frame->alpha.ptr<float>(y);
        auto* rgb = frame->rgb.ptr<cv::Vec3f>(y);
        for (int x = 0; x < frame->rgb.cols; ++x) rgb[x] = rgb[x] * alpha[x] + cv::Vec3f::all(1.0f - alpha[x]);
    }
    return frame->rgb;
}

}  // namespace

Result<cv::Mat> loadStylePicture(const std::filesystem::path& file) {
    auto picture = firstPicture(file);
    if (!picture) return fail(picture.error().code, "the style picture cannot be used: " + picture.error().message);
    return *picture;
}

Result<std::vector<float>> fitStylePicture(const cv::Mat& picture, cv::Size size) {
    RB_ASSIGN(const cv::Mat fitted, imaging::coverAndCrop(picture, size));
    std::vector<float> values;
    values.reserve(fitted.total() * 3);
    for (int y = 0; y < fitted.rows; ++y) {
        const auto* row = fitted.ptr<float>(y);
        values.insert(values.end(), row, row + fitted.cols * 3);
    }
    std::transform(values.begin(), values.end(), values.begin(), [](float v) { return std::clamp(v, 0.0f, 1.0f); });
    return values;
}

}  // namespace reelbrush::session
