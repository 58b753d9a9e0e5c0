#include "engine/media/pixel_converter.h"

#include "engine/media/ffmpeg_error.h"
#include "engine/media/pixel_format_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

/// zimg wants whole chroma samples, and its SIMD reads whole vectors of 64 bytes from aligned rows: pictures are
/// widened by repeating their last column and row, and cut again afterwards.
constexpr int kWidthStep = 64, kHeightStep = 2;

int roundedUp(int value, int step) {
    return (value + step - 1) / step * step;
}

bool isFloat(AVPixelFormat format) {
    return (av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_FLOAT) != 0;
}

/// The planar format that zimg writes; packed ones are then only re-ordered.
AVPixelFormat planarFor(AVPixelFormat format) {
    if (isPlanarInteger(format) || isFloat(format)) return format;
    if (format == AV_PIX_FMT_P010LE) return AV_PIX_FMT_YUV420P10LE;
    const bool deep = bitsOf(format) > 8;
    if (hasAlphaPlane(format)) return deep ? AV_PIX_FMT_GBRAP16LE : AV_PIX_FMT_GBRAP;
    return deep ? AV_PIX_FMT_GBRP16LE : AV_PIX_FMT_GBRP;
}

std::string zscaleText(const OutputColour& colour) {
    std::string text = fmt::format("zscale=dither=none:filter=bicubic:min=0:rin=full:m={}:r={}", colour.matrix,
                                   colour.fullRange ? "full" : "limited");
    // zimg counts chroma locations from left = 0, FFmpeg from unspecified = 0.
    if (colour.chromaLocation > 0) text += fmt::format(":c={}", colour.chromaLocation - 1);
    const bool gamut = colour.convertFromPrimaries != 0;
    if (gamut || colour.linearLight) {
        text += fmt::format(":tin={}:t={}", int{AVCOL_TRC_IEC61966_2_1},
                            colour.linearLight ? int{AVCOL_TRC_LINEAR} : int{AVCOL_TRC_IEC61966_2_1});
        const int from = gamut ? colour.convertFromPrimaries : colour.primaries;
        text += fmt::format(":pin={}:p={}", from, colour.primaries);
    }
    return text;
}

std::string graphText(int width, int height, AVPixelFormat format, const OutputColour& colour) {
    const AVPixelFormat planar = planarFor(format);
    std::string text = fmt::format("{},format={}", zscaleText(colour), av_get_pix_fmt_name(planar));
    if (format == AV_PIX_FMT_PAL8) {
        // A palette per frame: cuts and new colours never run out of a palette made before them. The ordered dither
        // stands still where the picture does.
        return text + fmt::format(
                          ",crop={}:{}:0:0:exact=1,split[a][b];"
                          "[a]palettegen=stats_mode=single:reserve_transparent=0[p];"
                          "[b][p]paletteuse=new=1:dither=bayer:bayer_scale=4",
                          width, height);
    }
    return text;
}

float* rowOf(AVFrame& planes, int plane, int y) {
    return reinterpret_cast<float*>(planes.data[plane] + std::ptrdiff_t{y} * planes.linesize[plane]);
}

/// Interleaved R'G'B' to the planes G, B, R that FFmpeg wants, and alpha; edges repeated up to the planes' size.
void fillPlanes(const VideoFrame& frame, AVFrame& planes) {
    const int width = frame.rgb.cols, height = frame.rgb.rows;
    const bool alpha = planes.format == AV_PIX_FMT_GBRAPF32LE;
    const int planeCount = alpha ? 4 : 3;
    for (int y = 0; y < planes.height; ++y) {
        const int from = std::min(y, height - 1);
        const auto* pixels = frame.rgb.ptr<cv::Vec3f>(from);
        float *green = rowOf(planes, 0, y), *blue = rowOf(planes, 1, y), *red = rowOf(planes, 2, y);
        for (int x = 0; x < width; ++x) {
            red[x] = pixels[x][0];
            green[x] = pixels[x][1];
            blue[x] = pixels[x][2];
        }
        if (alpha && frame.alpha.empty()) std::fill_n(rowOf(planes, 3, y), width, 1.0F);
        if (alpha && !frame.alpha.empty()) std::copy_n(frame.alpha.ptr<float>(from), width, rowOf(planes, 3, y));
        for (int plane = 0; plane < planeCount; ++plane) {
            float* row = rowOf(planes, plane, y);
            std::fill(row + width, row + planes.width, row[width - 1]);
        }
    }
}

/// zscale takes alpha for a colour of limited range, so integer alpha is written here: 0 to all bits set.
void fillAlpha(const cv::Mat& alpha, AVFrame& planes) {
    const int bits = bitsOf(static_cast<AVPixelFormat>(planes.format));
    const float top = static_cast<float>((1 << bits) - 1);
    for (int y = 0; y < planes.height; ++y) {
        std::uint8_t* row = planes.data[3] + std::ptrdiff_t{y} * planes.linesize[3];
        for (int x = 0; x < planes.width; ++x) {
            const float value = alpha.empty() ? 1.0F : std::clamp(alpha.at<float>(y, x), 0.0F, 1.0F);
            const auto number = static_cast<std::uint16_t>(value * top + 0.5F);
            if (bits > 8) {
                reinterpret_cast<std::uint16_t*>(row)[x] = number;
            } else {
                row[x] = static_cast<std::uint8_t>(number);
            }
        }
    }
}

}  // namespace

PixelConverter::PixelConverter(int width, int height, AVPixelFormat format, const OutputColour& colour)
    : width_(width),
      height_(height),
      paddedWidth_(roundedUp(width, kWidthStep)),
      paddedHeight_(roundedUp(height, kHeightStep)),
      format_(format),
      colour_(colour),
      alpha_(format != AV_PIX_FMT_PAL8 && hasAlphaPlane(format)) {}

Result<std::unique_ptr<PixelConverter>> PixelConverter::open(int width, int height, AVPixelFormat format,
                                                             const OutputColour& colour) {
    std::unique_ptr<PixelConverter> converter(new PixelConverter(width, height, format, colour));
    RB_TRY(converter->build());
    return converter;
}

Status PixelConverter::build() {
    const char* what = "cannot set up the colour conversion";
    graph_.reset(avfilter_graph_alloc());
    if (!graph_) return fail(StatusCode::OutOfMemory, what);
    graph_->nb_threads = 1;
    const std::string entryArguments =
        fmt::format("width={}:height={}:pix_fmt={}:time_base=1/1", paddedWidth_, paddedHeight_,
                    av_get_pix_fmt_name(alpha_ ? AV_PIX_FMT_GBRAPF32LE : AV_PIX_FMT_GBRPF32LE));
    int code = avfilter_graph_create_filter(&entry_, avfilter_get_by_name("buffer"), "in", entryArguments.c_str(),
                                            nullptr, graph_.get());
    if (code < 0) return ffmpegFailure(code, what);
    code =
        avfilter_graph_create_filter(&exit_, avfilter_get_by_name("buffersink"), "out", nullptr, nullptr, graph_.get());
    if (code < 0) return ffmpegFailure(code, what);

    FilterInOut before(avfilter_inout_alloc()), after(avfilter_inout_alloc());
    if (!before || !after) return fail(StatusCode::OutOfMemory, what);
    // Names as seen from the graph's text: its open input takes from our entry, its open output gives to our exit.
    before->name = av_strdup("in");
    before->filter_ctx = entry_;
    after->name = av_strdup("out");
    after->filter_ctx = exit_;
    AVFilterInOut *inputs = after.release(), *outputs = before.release();
    code = avfilter_graph_parse_ptr(graph_.get(), graphText(width_, height_, format_, colour_).c_str(), &inputs,
                                    &outputs, nullptr);
    before.reset(outputs);
    after.reset(inputs);
    if (code < 0) return ffmpegFailure(code, what);
    code = avfilter_graph_config(graph_.get(), nullptr);
    if (code < 0) return ffmpegFailure(code, what);
    const AVPixelFormat planar = planarFor(format_);
    if (format_ == AV_PIX_FMT_PAL8 || planar == format_) return {};
    packer_.reset(
        sws_getContext(width_, height_, planar, width_, height_, format_, SWS_POINT, nullptr, nullptr, nullptr));
    if (!packer_) return fail(StatusCode::Unsupported, what);
    return {};
}

Result<Frame> PixelConverter::packed(const AVFrame& planes) {
    Frame pixels(av_frame_alloc());
    if (!pixels) return fail(StatusCode::OutOfMemory, "not enough memory for a frame");
    pixels->width = width_;
    pixels->height = height_;
    pixels->format = format_;
    int code = av_frame_get_buffer(pixels.get(), 0);
    if (code >= 0) {
        code = sws_scale(packer_.get(), planes.data, planes.linesize, 0, height_, pixels->data, pixels->linesize);
    }
    if (code < 0) return ffmpegFailure(code, "cannot convert a frame's colours");
    return pixels;
}

Result<Frame> PixelConverter::convert(const VideoFrame& source) {
    if (source.rgb.rows != height_ || source.rgb.cols != width_ || source.rgb.type() != CV_32FC3) {
        return fail(StatusCode::BadInput, fmt::format("a frame of {}x{} came where {}x{} float R'G'B' was agreed on",
                                                      source.rgb.cols, source.rgb.rows, width_, height_));
    }
    if (!source.alpha.empty() && (source.alpha.size() != source.rgb.size() || source.alpha.type() != CV_32FC1)) {
        return fail(StatusCode::BadInput, "a frame's transparency does not have the size or type of the frame");
    }
    const char* what = "cannot convert a frame's colours";
    Frame input(av_frame_alloc()), output(av_frame_alloc());
    if (!input || !output) return fail(StatusCode::OutOfMemory, what);
    input->width = paddedWidth_;
    input->height = paddedHeight_;
    input->format = alpha_ ? AV_PIX_FMT_GBRAPF32LE : AV_PIX_FMT_GBRPF32LE;
    input->colorspace = AVCOL_SPC_RGB;
    input->color_range = AVCOL_RANGE_JPEG;
    input->pts = count_++;
    int code = av_frame_get_buffer(input.get(), kWidthStep);
    if (code < 0) return ffmpegFailure(code, what);
    fillPlanes(source, *input);
    code = av_buffersrc_add_frame(entry_, input.get());
    if (code < 0) return ffmpegFailure(code, what);
    code = av_buffersink_get_frame(exit_, output.get());
    if (code < 0) return ffmpegFailure(code, what);
    output->width = width_;
    output->height = height_;
    if (alpha_ && !isFloat(format_)) {
        code = av_frame_make_writable(output.get());
        if (code < 0) return ffmpegFailure(code, what);
        fillAlpha(source.alpha, *output);
    }
    if (packer_) {
        RB_ASSIGN(output, packed(*output));
    }
    output->pts = AV_NOPTS_VALUE;
    output->pict_type = AV_PICTURE_TYPE_NONE;
    output->color_primaries = static_cast<AVColorPrimaries>(colour_.primaries);
    output->color_trc = static_cast<AVColorTransferCharacteristic>(colour_.transfer);
    output->colorspace = static_cast<AVColorSpace>(colour_.matrix);
    output->color_range = colour_.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    output->chroma_location = static_cast<AVChromaLocation>(colour_.chromaLocation);
    return output;
}

}  // namespace reelbrush::media
