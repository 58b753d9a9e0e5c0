#pragma once

#include <opencv2/core.hpp>

/// Pictures that tests of imaging and temporal share; [H,W,3] CV_32FC3 RGB in [0,1].
namespace reelbrush::testing {

/// Eight-bit values by a formula of x and y, so that other programs can make the same picture.
inline cv::Mat arithmeticPicture(cv::Size size) {
    cv::Mat picture(size, CV_32FC3);
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
            picture.at<cv::Vec3f>(y, x) =
                cv::Vec3f(static_cast<float>((x * 37 + y * 91) % 256), static_cast<float>((x * x * 3 + y * 17) % 256),
                          static_cast<float>(((x ^ y) * 29) % 256)) /
                255.0F;
    return picture;
}

/// A scene of soft random blobs, another one for each seed, its top left corner at `corner` of a field of twice the
/// size.
cv::Mat blobScene(cv::Size size, unsigned seed, cv::Point corner = {});

}  // namespace reelbrush::testing
