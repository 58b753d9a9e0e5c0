#include "engine/render/frame_preparer.h"

#include "engine/imaging/each_picture.h"
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
    RB_ASSIGN(const bool startsShot, shots_.startsShot(frame.rgb));
    return preparedIn(startsShot, std::move(frame));
}

Result<std::vector<PreparedFrame>> FramePreparer::prepareAll(std::vector<media::VideoFrame> frames) {
    std::vector<char> starts;
    for (const media::VideoFrame& frame : frames) {
        RB_ASSIGN(starts.emplace_back(), shots_.startsShot(frame.rgb));
    }
    std::vector<PreparedFrame> prepared(frames.size());
    RB_TRY(imaging::forEachPicture(frames.size(), [&](std::size_t i) -> Status {
        RB_ASSIGN(prepared[i], preparedIn(starts[i] != 0, std::move(frames[i])));
        return {};
    }));
    return prepared;
}

Result<PreparedFrame> FramePreparer::preparedIn(bool startsShot, media::VideoFrame frame) const {
    PreparedFrame prepared;
    prepared.startsShot = startsShot;
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
