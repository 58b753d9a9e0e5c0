#include "engine/render/frame_preparer.h"

#include "engine/imaging/fit_picture.h"
#include "engine/render/painting_size.h"

namespace reelbrush::render {

FramePreparer::FramePreparer(cv::Size size, FramePreparation preparation)
    : size_(size), preparation_(std::move(preparation)) {}

Result<cv::Mat> FramePreparer::padded(const cv::Mat& picture) const {
    RB_ASSIGN(cv::Mat whole, imaging::padToMultiple(picture, paddingMultiple(size_)));
    return whole.isContinuous() ? whole : whole.clone();
}

Result<PreparedFrame> FramePreparer::prepare(media::VideoFrame frame) {
    PreparedFrame prepared;
    RB_ASSIGN(prepared.startsShot, shots_.startsShot(frame.rgb));
    cv::Mat picture = std::move(frame.rgb);
    frame.rgb = cv::Mat();
    if (picture.size() != size_) {
        RB_ASSIGN(picture, imaging::resizePicture(picture, size_));
    }
    // Taken before padding, so that the picture's borders are its own and not those of the padding.
    for (const imaging::ControlPreprocessor kind : preparation_.controls) {
        RB_ASSIGN(const cv::Mat control, imaging::makeControlImage(kind, picture));
        RB_ASSIGN(prepared.controls.emplace_back(), padded(control));
    }
    if (preparation_.structure) {
        RB_ASSIGN(picture, imaging::structureImage(picture, *preparation_.structure));
    }
    RB_ASSIGN(prepared.picture, padded(picture));
    prepared.frame = std::move(frame);
    return prepared;
}

}  // namespace reelbrush::render
