#include "engine/media/picture_converter.h"

#include "engine/media/colour_defaults.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/sample_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

/// Source: IEC 61966-2-1.
float srgbFromLinear(float linear) {
    const float light = std::abs(linear);
    const float coded = light <= 0.0031308F ? 12.92F * light : 1.055F * std::pow(light, 1 / 2.4F) - 0.055F;
    return std::copysign(coded, linear);
}

void encodeSrgb(cv::Mat& rgb) {
    for (int y = 0; y < rgb.rows; ++y) {
        auto* value = rgb.ptr<float>(y);
        for (int i = 0; i < rgb.cols * rgb.channels(); ++i) value[i] = srgbFromLinear(value[i]);
    }
}

/// Layouts that are neither RGB nor YUV (raw sensor mosaics, CIE XYZ), by FFmpeg's scaler to 16 bits.
Result<Frame> asRgb48(const AVFrame& frame) {
    Frame rgb(av_frame_alloc());
    if (!rgb) return fail(StatusCode::OutOfMemory, "no memory for a frame");
    rgb->format = AV_PIX_FMT_RGB48;
    rgb->width = frame.width;
    rgb->height = frame.height;
    const Scaler scaler(sws_getContext(frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width,
                                       frame.height, AV_PIX_FMT_RGB48, SWS_BICUBIC | SWS_ACCURATE_RND, nullptr, nullptr,
                                       nullptr));
    if (!scaler)
        return fail(StatusCode::Unsupported,
                    fmt::format("its pixels ({}) cannot be converted to RGB",
                                av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format))));
    int code = av_frame_get_buffer(rgb.get(), 0);
    if (code >= 0)
        code = sws_scale(scaler.get(), frame.data, frame.linesize, 0, frame.height, rgb->data, rgb->linesize);
    if (code < 0) return ffmpegFailure(code, "cannot convert a frame to RGB");
    return rgb;
}

}  // namespace

PictureConverter::PictureConverter(const VideoStreamInfo& info, Orientation orientation, bool toneMap, int threads)
    : width_(info.codedWidth),
      height_(info.codedHeight),
      colour_(resolvedColour(info)),
      hasAlpha_(info.hasAlpha),
      orientation_(orientation),
      yuv_(toneMap, threads) {}

Result<cv::Mat> PictureConverter::toRgb(const AVFrame& frame) {
    const auto pixelFormat = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(pixelFormat);
    RB_ENSURE(format, "decoded frame without a pixel format");
    if (hasRgbSamples(pixelFormat)) {
        const bool isFloat = (format->flags & AV_PIX_FMT_FLAG_FLOAT) != 0;
        cv::Mat rgb = readRgb(frame, colour_.fullRange);
        if (isFloat) encodeSrgb(rgb);
        return rgb;
    }
    if ((format->flags & AV_PIX_FMT_FLAG_BAYER) || pixelFormat == AV_PIX_FMT_XYZ12LE ||
        pixelFormat == AV_PIX_FMT_XYZ12BE) {
        RB_ASSIGN(const Frame rgb, asRgb48(frame));
        return readRgb(*rgb, true);
    }
    const Frame tagged(av_frame_clone(&frame));
    if (!tagged) return fail(StatusCode::OutOfMemory, "no memory for a frame");
    return yuv_.convert(*tagged, colour_);
}

Result<VideoFrame> PictureConverter::convert(const DecodedFrame& frame) {
    const AVFrame& picture = *frame.picture;
    if (picture.width != width_ || picture.height != height_)
        return fail(StatusCode::BadInput, fmt::format("its frames change size from {} x {} to {} x {}", width_, height_,
                                                      picture.width, picture.height));
    VideoFrame result;
    RB_ASSIGN(const cv::Mat rgb, toRgb(picture));
    result.rgb = upright(rgb, orientation_);
    if (hasAlpha_ && carriesAlpha(picture)) {
        result.alpha = upright(readAlpha(picture), orientation_);
    } else if (hasAlpha_) {
        result.alpha = cv::Mat(result.rgb.size(), CV_32FC1, cv::Scalar(1));
    }
    result.time = frame.time;
    result.duration = frame.duration;
    result.index = frame.index;
    return result;
}

}  // namespace reelbrush::media
