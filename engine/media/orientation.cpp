#include "engine/media/orientation.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <opencv2/core.hpp>

extern "C" {
#include <libavutil/display.h>
}

namespace reelbrush::media {

namespace {

/// EXIF orientations 1 to 8. Source: EXIF 2.3, tag 0x0112.
constexpr std::array<Orientation, 8> kExif = {
    {{0, false}, {0, true}, {180, false}, {180, true}, {270, true}, {90, false}, {90, true}, {270, false}}};

/// A display matrix maps stored coordinates (y down) to shown ones: [x' y'] = [x y] * [[m0 m1] [m3 m4]].
Orientation fromMatrix(const std::int32_t* matrix) {
    double right = matrix[0], down = matrix[1];  // where the stored picture's x axis points when shown
    const double determinant = right * matrix[4] - down * matrix[3];
    Orientation orientation;
    orientation.mirrored = determinant < 0;
    if (orientation.mirrored) {
        right = -right;
        down = -down;
    }
    const double quarters = std::atan2(down, right) / (std::numbers::pi / 2);
    orientation.clockwiseDegrees = (static_cast<int>(std::lround(quarters)) + 4) % 4 * 90;
    return orientation;
}

}  // namespace

Orientation orientationOf(const AVFrame& frame, const AVStream& stream) {
    if (const AVDictionaryEntry* exif = av_dict_get(frame.metadata, "Orientation", nullptr, 0)) {
        const int number = std::atoi(exif->value);
        return number >= 1 && number <= 8 ? kExif.at(static_cast<std::size_t>(number - 1)) : Orientation{};
    }
    if (const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX))
        return fromMatrix(reinterpret_cast<const std::int32_t*>(data->data));
    if (const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr))
        return fromMatrix(reinterpret_cast<const std::int32_t*>(data));
    return {};
}

cv::Mat upright(const cv::Mat& picture, const Orientation& orientation) {
    cv::Mat result = picture;
    if (orientation.mirrored) {
        cv::Mat flipped;
        cv::flip(result, flipped, 1);
        result = flipped;
    }
    if (orientation.clockwiseDegrees != 0) {
        const int code = orientation.clockwiseDegrees == 90    ? cv::ROTATE_90_CLOCKWISE
                         : orientation.clockwiseDegrees == 180 ? cv::ROTATE_180
                                                               : cv::ROTATE_90_COUNTERCLOCKWISE;
        cv::Mat turned;
        cv::rotate(result, turned, code);
        result = turned;
    }
    return result;
}

}  // namespace reelbrush::media
