#include "engine/render/frame_finisher.h"

#include "engine/imaging/fit_picture.h"

namespace reelbrush::render {

namespace {

/// The one resampler that the house has takes three channels; alpha is rare enough to be carried as grey.
Result<cv::Mat> resizedAlpha(const cv::Mat& alpha, cv::Size size) {
    cv::Mat grey;
    cv::merge(std::vector<cv::Mat>(3, alpha), grey);
    RB_ASSIGN(const cv::Mat resized, imaging::resizePicture(grey, size));
    cv::Mat result;
    cv::extractChannel(resized, result, 0);
    return result;
}

}  // namespace

Result<media::VideoFrame> finishFrame(const cv::Mat& painting, media::VideoFrame source, cv::Size size) {
    if (painting.size() == size) {
        source.rgb = painting;
    } else {
        RB_ASSIGN(source.rgb, imaging::cropBack(painting, size));
    }
    if (!source.alpha.empty() && source.alpha.size() != size) {
        RB_ASSIGN(source.alpha, resizedAlpha(source.alpha, size));
    }
    return source;
}

}  // namespace reelbrush::render
