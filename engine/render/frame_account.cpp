#include "engine/render/frame_account.h"

#include <utility>
#include <vector>

namespace reelbrush::render {

kernels::MemoryClaim FrameAccount::claim(std::span<const cv::Mat> pictures, const char* stage) const {
    std::size_t bytes = 0;
    for (const cv::Mat& picture : pictures)
        if (!picture.empty()) bytes += picture.total() * picture.elemSize();
    auto claim = kernels::MemoryClaim::make(budget_, bytes, stage);
    return claim ? *std::move(claim) : kernels::MemoryClaim();  // without a ceiling nothing is refused
}

kernels::MemoryClaim FrameAccount::decoded(const media::VideoFrame& frame) const {
    const cv::Mat pictures[] = {frame.rgb, frame.alpha};
    return claim(pictures, "decoded frames");
}

kernels::MemoryClaim FrameAccount::prepared(const PreparedFrame& frame) const {
    std::vector<cv::Mat> pictures = frame.controls;
    pictures.push_back(frame.picture);
    pictures.push_back(frame.frame.alpha);
    return claim(pictures, "prepared frames");
}

kernels::MemoryClaim FrameAccount::painted(std::span<const cv::Mat> pictures) const {
    return claim(pictures, "painted frames");
}

}  // namespace reelbrush::render
