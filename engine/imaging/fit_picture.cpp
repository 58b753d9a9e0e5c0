#include "engine/imaging/fit_picture.h"

#include "engine/imaging/lanczos_resample.h"
#include "engine/imaging/opencv_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::imaging {

namespace {

Status checkSize(const char* operation, cv::Size size) {
    if (size.width > 0 && size.height > 0) return {};
    return fail(StatusCode::BadInput,
                fmt::format("{}: expected a size of at least 1x1, got {}x{}", operation, size.width, size.height));
}

}  // namespace

Result<cv::Mat> resizePicture(const cv::Mat& picture, cv::Size size) {
    constexpr const char* kOperation = "resize picture";
    RB_TRY(checkPicture(kOperation, picture));
    RB_TRY(checkSize(kOperation, size));
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        if (picture.size() == size) return picture.clone();
        return lanczosResample(picture, size, {{0, 0}, size});
    });
}

Result<cv::Mat> coverAndCrop(const cv::Mat& picture, cv::Size size) {
    constexpr const char* kOperation = "cover and crop picture";
    RB_TRY(checkPicture(kOperation, picture));
    RB_TRY(checkSize(kOperation, size));
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        const double scale =
            std::max(static_cast<double>(size.height) / picture.rows, static_cast<double>(size.width) / picture.cols);
        // Halves go to the even neighbour, as in the pictures that the image encoders were trained on.
        const cv::Size covering(std::max(size.width, static_cast<int>(std::nearbyint(picture.cols * scale))),
                                std::max(size.height, static_cast<int>(std::nearbyint(picture.rows * scale))));
        const cv::Point corner((covering.width - size.width) / 2, (covering.height - size.height) / 2);
        return lanczosResample(picture, covering, {corner, size});
    });
}

Result<cv::Mat> padToMultiple(const cv::Mat& picture, int multiple) {
    constexpr const char* kOperation = "pad picture";
    RB_TRY(checkPicture(kOperation, picture));
    if (multiple < 1)
        return fail(StatusCode::BadInput, fmt::format("{}: cannot pad to multiples of {}", kOperation, multiple));
    const int right = (multiple - picture.cols % multiple) % multiple;
    const int bottom = (multiple - picture.rows % multiple) % multiple;
    if (right == 0 && bottom == 0) return picture;
    return guarded(kOperation, [&]() -> Result<cv::Mat> {
        cv::Mat padded;
        cv::copyMakeBorder(picture, padded, 0, bottom, 0, right, cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
        return padded;
    });
}

Result<cv::Mat> cropBack(const cv::Mat& picture, cv::Size size) {
    constexpr const char* kOperation = "crop picture";
    RB_TRY(checkPicture(kOperation, picture));
    RB_TRY(checkSize(kOperation, size));
    if (picture.cols < size.width || picture.rows < size.height)
        return fail(StatusCode::BadInput, fmt::format("{}: cannot cut {}x{} out of {}x{}", kOperation, size.width,
                                                      size.height, picture.cols, picture.rows));
    return guarded(kOperation, [&]() -> Result<cv::Mat> { return picture(cv::Rect({0, 0}, size)).clone(); });
}

}  // namespace reelbrush::imaging
