#include "engine/session/contact_sheet.h"

#include "engine/imaging/fit_picture.h"
#include "engine/media/frame_source.h"
#include "engine/session/picture_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/core.hpp>

namespace reelbrush::session {

namespace {

constexpr int kGap = 8;
constexpr int kMostColumns = 50, kLeastCell = 16, kMostCell = 4096;

/// The frame of that number; the last one where the film is shorter.
Result<cv::Mat> frameAt(const std::filesystem::path& film, std::int64_t index) {
    media::OpenOptions options;
    options.toneMapHdr = true;
    options.firstFrame = options.lastFrame = index;
    RB_ASSIGN(const auto source, media::openFrameSource(film, options));
    RB_ASSIGN(const std::optional<media::VideoFrame> frame, source->next());
    if (!frame) return fail(StatusCode::BadInput, fmt::format("'{}' has no frame {}", film.string(), index));
    return frame->rgb;
}

}  // namespace

Status writeContactSheet(const std::filesystem::path& input, const std::filesystem::path& output,
                         const std::filesystem::path& sheet, const ContactSheetOptions& options) {
    if (options.columns < 1 || options.columns > kMostColumns || options.cellWidth < kLeastCell ||
        options.cellWidth > kMostCell)
        return fail(StatusCode::BadInput,
                    fmt::format("a contact sheet has 1 to {} columns of {} to {} pixels, not {} of {}", kMostColumns,
                                kLeastCell, kMostCell, options.columns, options.cellWidth));
    RB_ASSIGN(const media::ClipInfo before, media::inspectClip(input));
    RB_ASSIGN(const media::ClipInfo after, media::inspectClip(output));
    const std::int64_t frames = std::max<std::int64_t>(1, std::min(before.video.frameCount, after.video.frameCount));
    const int columns = static_cast<int>(std::min<std::int64_t>(options.columns, frames));
    const int height = std::max(1, options.cellWidth * before.video.height / std::max(1, before.video.width));
    const cv::Size cell(options.cellWidth, height);

    cv::Mat canvas(2 * cell.height + 3 * kGap, columns * (cell.width + kGap) + kGap, CV_32FC3, cv::Scalar::all(1));
    for (int column = 0; column < columns; ++column) {
        // The middles of equal parts: neither the first frame, often black, nor the last.
        const std::int64_t index = frames * (2 * column + 1) / (2 * columns);
        for (int row = 0; row < 2; ++row) {
            RB_ASSIGN(const cv::Mat picture, frameAt(row == 0 ? input : output, index));
            RB_ASSIGN(const cv::Mat fitted, imaging::resizePicture(picture, cell));
            fitted.copyTo(
                canvas(cv::Rect({kGap + column * (cell.width + kGap), kGap + row * (cell.height + kGap)}, cell)));
        }
    }
    return writePicture(canvas, sheet);
}

}  // namespace reelbrush::session
