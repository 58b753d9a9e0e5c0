#include "engine/render/frame_preparer.h"

#include "engine/imaging/fit_picture.h"
#include "engine/render/painting_size.h"

namespace reelbrush::render {

FramePreparer::FramePreparer(cv::Size size, const imaging::StructureOptions& structure)
    : size_(size), structure_(structure) {}

Result<PreparedFrame> FramePreparer::prepare(media::VideoFrame frame) {
    PreparedFrame prepared;
    RB_ASSIGN(prepared.startsShot, shots_.startsShot(frame.rgb));
    cv::Mat picture = std::move(frame.rgb);
    frame.rgb = cv::Mat();
    if (picture.size() != size_) {
        RB_ASSIGN(picture, imaging::resizePicture(picture, size_));
    }
    // The structure is taken before padding, so that the picture's borders are its own and not those of the padding.
    RB_ASSIGN(const cv::Mat structure, imaging::structureImage(picture, structure_));
    RB_ASSIGN(prepared.structure, imaging::padToMultiple(structure, paddingMultiple(size_)));
    if (!prepared.structure.isContinuous()) prepared.structure = prepared.structure.clone();
    prepared.frame = std::move(frame);
    return prepared;
}

}  // namespace reelbrush::render
