#include "engine/media/sample_reader.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

const AVPixFmtDescriptor& descriptor(const AVFrame& frame) {
    return *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
}

bool isPalette(const AVPixFmtDescriptor& format) {
    return (format.flags & AV_PIX_FMT_FLAG_PAL) != 0;
}

/// Where a channel lies within a palette entry, a native-endian 0xAARRGGBB.
std::size_t paletteByte(int channel) {
    constexpr std::size_t kFromLowest[] = {2, 1, 0, 3};
    return std::endian::native == std::endian::little ? kFromLowest[channel] : 3 - kFromLowest[channel];
}

/// How one kind of sample becomes a float: value * scale + offset.
struct Mapping {
    double scale = 1, offset = 0;
};

Mapping integerMapping(int depth, bool fullRange) {
    const double largest = static_cast<double>((std::uint64_t{1} << depth) - 1);
    if (fullRange || depth < 8) return {1 / largest, 0};
    const double unit = static_cast<double>(std::uint64_t{1} << (depth - 8));
    return {1 / (219 * unit), -16.0 / 219};
}

/// Reads one component of every pixel into every `channels`-th float from `target` on.
/// component: of the pixel format; for palettes 0 to 3 for R, G, B, A.
void readComponent(const AVFrame& frame, int component, Mapping mapping, cv::Mat& target, int channel) {
    const AVPixFmtDescriptor& format = descriptor(frame);
    const bool palette = isPalette(format);
    const bool isFloat = (format.flags & AV_PIX_FMT_FLAG_FLOAT) != 0;
    const std::uint8_t* data[4] = {frame.data[0], frame.data[1], frame.data[2], frame.data[3]};
    std::vector<std::uint32_t> line(static_cast<std::size_t>(frame.width));
    const int channels = target.channels();
    for (int y = 0; y < frame.height; ++y) {
        av_read_image_line2(line.data(), data, frame.linesize, &format, 0, y, palette ? 0 : component, frame.width, 0,
                            4);
        if (palette)
            for (std::uint32_t& value : line) value = frame.data[1][4 * value + paletteByte(component)];
        float* out = target.ptr<float>(y) + channel;
        for (const std::uint32_t value : line) {
            *out = isFloat ? std::bit_cast<float>(value) : static_cast<float>(value * mapping.scale + mapping.offset);
            out += channels;
        }
    }
}

}  // namespace

bool hasRgbSamples(AVPixelFormat pixelFormat) {
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(pixelFormat);
    if (!format || (format->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER)) != 0) return false;
    return (format->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0 || format->nb_components < 3;
}

bool carriesAlpha(const AVFrame& frame) {
    const AVPixFmtDescriptor& format = descriptor(frame);
    if (!isPalette(format)) return (format.flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    const std::uint8_t* palette = frame.data[1];
    for (std::size_t entry = 0; entry < 256; ++entry) {
        if (palette[4 * entry + paletteByte(3)] == 255) continue;
        // Entries that no pixel uses are often transparent.
        for (int y = 0; y < frame.height; ++y) {
            const std::uint8_t* row = frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0];
            if (std::find(row, row + frame.width, static_cast<std::uint8_t>(entry)) != row + frame.width) return true;
        }
    }
    return false;
}

cv::Mat readRgb(const AVFrame& frame, bool fullRange) {
    const AVPixFmtDescriptor& format = descriptor(frame);
    cv::Mat rgb(frame.height, frame.width, CV_32FC3);
    for (int channel = 0; channel < 3; ++channel) {
        int component = channel;
        if (!isPalette(format) && format.nb_components < 3) component = 0;
        const int depth = isPalette(format) ? 8 : format.comp[component].depth;
        Mapping mapping = integerMapping(depth, fullRange || isPalette(format));
        if (frame.format == AV_PIX_FMT_MONOWHITE) mapping = {-1, 1};
        readComponent(frame, component, mapping, rgb, channel);
    }
    return rgb;
}

cv::Mat readAlpha(const AVFrame& frame) {
    const AVPixFmtDescriptor& format = descriptor(frame);
    const int component = isPalette(format) ? 3 : format.nb_components - 1;
    const int depth = isPalette(format) ? 8 : format.comp[component].depth;
    cv::Mat alpha(frame.height, frame.width, CV_32FC1);
    readComponent(frame, component, integerMapping(depth, true), alpha, 0);
    return alpha;
}

}  // namespace reelbrush::media
