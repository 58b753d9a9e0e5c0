#include "engine/imaging/opencv_guard.h"

namespace reelbrush::imaging {

Status checkPicture(const char* operation, const cv::Mat& picture) {
    if (picture.empty()) return fail(StatusCode::BadInput, std::string(operation) + ": the picture has no pixels");
    if (picture.dims != 2 || picture.type() != CV_32FC3)
        return fail(StatusCode::BadInput, std::string(operation) +
                                              ": expected a picture of three floats a pixel, got " +
                                              cv::typeToString(picture.type()));
    return {};
}

}  // namespace reelbrush::imaging
