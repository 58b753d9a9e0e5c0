#pragma once

#include "engine/core/status.h"

#include <new>
#include <opencv2/core.hpp>
#include <string>
#include <type_traits>

namespace reelbrush::imaging {

/// Runs `work` and turns what OpenCV or the allocator throws into an Error whose message begins with `operation`.
/// `work` returns a Result or Status, which is passed on.
template <typename Work>
std::invoke_result_t<Work> guarded(const char* operation, Work&& work) {
    try {
        return work();
    } catch (const cv::Exception& exception) {
        const bool memory = exception.code == cv::Error::StsNoMem;
        return fail(memory ? StatusCode::OutOfMemory : StatusCode::Internal,
                    std::string(operation) + ": OpenCV says: " + exception.err);
    } catch (const std::bad_alloc&) {
        return fail(StatusCode::OutOfMemory,
                    std::string(operation) + ": not enough memory; use a smaller picture size");
    }
}

/// BadInput unless `picture` is [H,W,3] CV_32FC3 with at least one pixel.
Status checkPicture(const char* operation, const cv::Mat& picture);

}  // namespace reelbrush::imaging
