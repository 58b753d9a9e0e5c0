#include "engine/session/picture_file.h"

#include "engine/imaging/fit_picture.h"
#include "engine/media/frame_sink.h"
#include "engine/media/frame_source.h"

#include <fmt/format.h>

namespace reelbrush::session {

Status writePicture(const cv::Mat& picture, const std::filesystem::path& file) {
    media::ClipInfo info;
    info.isPicture = true;
    info.video.width = info.video.codedWidth = picture.cols;
    info.video.height = info.video.codedHeight = picture.rows;
    info.video.frameCount = 1;
    RB_ASSIGN(const auto sink, media::openFrameSink(file, picture.cols, picture.rows, info, {}));
    media::VideoFrame frame;
    frame.rgb = picture;
    RB_TRY(sink->write(frame));
    return sink->finish();
}

Status writeThumbnail(const std::filesystem::path& picture, const std::filesystem::path& thumbnail, PictureSize size) {
    media::OpenOptions options;
    options.lastFrame = 0;
    RB_ASSIGN(const auto source, media::openFrameSource(picture, options));
    RB_ASSIGN(const std::optional<media::VideoFrame> frame, source->next());
    if (!frame) return fail(StatusCode::BadInput, fmt::format("'{}' holds no picture", picture.string()));
    RB_ASSIGN(const cv::Mat small, imaging::coverAndCrop(frame->rgb, {size.width, size.height}));
    return writePicture(small, thumbnail);
}

}  // namespace reelbrush::session
