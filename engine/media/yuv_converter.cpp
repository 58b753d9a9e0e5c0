#include "engine/media/yuv_converter.h"

#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <opencv2/core.hpp>
#include <string>
#include <utility>

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

constexpr const char* kToRgb = "zscale=matrix=gbr:range=full:filter=bicubic:dither=none,format=pix_fmts=gbrpf32";
/// Hable's curve keeps shadows and rolls off highlights; 100 cd/m2 is the white of BT.709.
constexpr const char* kToneMapped =
    "zscale=transfer=linear:npl=100:filter=bicubic:dither=none,format=pix_fmts=gbrpf32,zscale=primaries=bt709,"
    "tonemap=tonemap=hable:desat=0,zscale=transfer=bt709:matrix=gbr:range=full:dither=none,format=pix_fmts=gbrpf32";

/// The old names for full-range YUV, which say by the format what the range tag says.
AVPixelFormat withoutRange(int format) {
    switch (format) {
        case AV_PIX_FMT_YUVJ420P:
            return AV_PIX_FMT_YUV420P;
        case AV_PIX_FMT_YUVJ422P:
            return AV_PIX_FMT_YUV422P;
        case AV_PIX_FMT_YUVJ444P:
            return AV_PIX_FMT_YUV444P;
        case AV_PIX_FMT_YUVJ440P:
            return AV_PIX_FMT_YUV440P;
        case AV_PIX_FMT_YUVJ411P:
            return AV_PIX_FMT_YUV411P;
        default:
            return static_cast<AVPixelFormat>(format);
    }
}

int roundedUp(int size, int log2) {
    const int mask = (1 << log2) - 1;
    return (size + mask) & ~mask;
}

/// Repeats the last column and row of a full-resolution plane up to the padded size.
void extendPlane(AVFrame& padded, int plane, int width, int height, int sampleBytes) {
    const auto step = static_cast<std::size_t>(sampleBytes);
    for (int y = 0; y < height; ++y) {
        std::uint8_t* row = padded.data[plane] + std::ptrdiff_t{y} * padded.linesize[plane];
        for (int x = width; x < padded.width; ++x)
            std::memcpy(row + step * static_cast<std::size_t>(x), row + step * static_cast<std::size_t>(width - 1),
                        step);
    }
    const std::uint8_t* last = padded.data[plane] + std::ptrdiff_t{height - 1} * padded.linesize[plane];
    for (int y = height; y < padded.height; ++y)
        std::memcpy(padded.data[plane] + std::ptrdiff_t{y} * padded.linesize[plane], last,
                    step * static_cast<std::size_t>(padded.width));
}

/// zimg takes no odd sizes with subsampled chroma: a copy with whole chroma samples, cropped again afterwards.
Result<Frame> padded(const AVFrame& frame) {
    const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    Frame copy(av_frame_alloc());
    if (!copy) return fail(StatusCode::OutOfMemory, "no memory for a frame");
    copy->format = frame.format;
    copy->width = roundedUp(frame.width, format.log2_chroma_w);
    copy->height = roundedUp(frame.height, format.log2_chroma_h);
    int code = av_frame_get_buffer(copy.get(), 0);
    if (code >= 0) code = av_frame_copy_props(copy.get(), &frame);
    if (code < 0) return ffmpegFailure(code, "cannot copy a frame");
    const auto pixelFormat = static_cast<AVPixelFormat>(frame.format);
    av_image_copy(copy->data, copy->linesize, const_cast<const std::uint8_t**>(frame.data), frame.linesize, pixelFormat,
                  frame.width, frame.height);
    for (int component = 0; component < format.nb_components; ++component) {
        const bool chroma = component == 1 || component == 2;
        const int sampleBytes = (format.comp[component].depth + 7) / 8;
        // Packed formats hold the missing sample in the last group already.
        if (!chroma && format.comp[component].step == sampleBytes)
            extendPlane(*copy, format.comp[component].plane, frame.width, frame.height, sampleBytes);
    }
    return copy;
}

cv::Mat interleaved(const AVFrame& planar, int width, int height) {
    const auto plane = [&](int index) {
        return cv::Mat(height, width, CV_32FC1, planar.data[index], static_cast<std::size_t>(planar.linesize[index]));
    };
    const cv::Mat planes[] = {plane(2), plane(0), plane(1)};  // stored as G, B, R
    cv::Mat rgb;
    cv::merge(planes, 3, rgb);
    return rgb;
}

}  // namespace

Status YuvConverter::build(const AVFrame& frame) {
    graph_.reset(avfilter_graph_alloc());
    if (!graph_) return fail(StatusCode::OutOfMemory, "no memory for colour conversion");
    graph_->nb_threads = threads_;
    const std::string entry = fmt::format("video_size={}x{}:pix_fmt={}:time_base=1/1:pixel_aspect=1/1", frame.width,
                                          frame.height, frame.format);
    int code = avfilter_graph_create_filter(&entry_, avfilter_get_by_name("buffer"), "in", entry.c_str(), nullptr,
                                            graph_.get());
    if (code >= 0)
        code = avfilter_graph_create_filter(&exit_, avfilter_get_by_name("buffersink"), "out", nullptr, nullptr,
                                            graph_.get());
    if (code < 0) return ffmpegFailure(code, "cannot set up colour conversion");

    AVFilterInOut* outputs = avfilter_inout_alloc();
    AVFilterInOut* inputs = avfilter_inout_alloc();
    if (outputs && inputs) {
        outputs->name = av_strdup("in");
        outputs->filter_ctx = entry_;
        inputs->name = av_strdup("out");
        inputs->filter_ctx = exit_;
        code = avfilter_graph_parse_ptr(graph_.get(), toneMap_ ? kToneMapped : kToRgb, &inputs, &outputs, nullptr);
    } else {
        code = AVERROR(ENOMEM);
    }
    avfilter_inout_free(&outputs);
    avfilter_inout_free(&inputs);
    if (code >= 0) code = avfilter_graph_config(graph_.get(), nullptr);
    if (code < 0) return ffmpegFailure(code, "cannot set up colour conversion with FFmpeg's zscale filter");
    shape_ = {frame.width, frame.height, frame.format};
    return {};
}

Result<cv::Mat> YuvConverter::convert(AVFrame& frame, const ColourTags& colour) {
    frame.format = withoutRange(frame.format);
    frame.colorspace = static_cast<AVColorSpace>(colour.matrix);
    frame.color_range = colour.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    frame.color_trc = static_cast<AVColorTransferCharacteristic>(colour.transfer);
    frame.color_primaries = static_cast<AVColorPrimaries>(colour.primaries);
    frame.chroma_location = static_cast<AVChromaLocation>(colour.chromaLocation);

    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    RB_ENSURE(format, "frame without a pixel format");
    Frame enlarged;
    AVFrame* input = &frame;
    if (roundedUp(frame.width, format->log2_chroma_w) != frame.width ||
        roundedUp(frame.height, format->log2_chroma_h) != frame.height) {
        RB_ASSIGN(enlarged, padded(frame));
        input = enlarged.get();
    }
    if (shape_ != Shape{input->width, input->height, input->format}) RB_TRY(build(*input));

    int code = av_buffersrc_add_frame_flags(entry_, input, AV_BUFFERSRC_FLAG_KEEP_REF | AV_BUFFERSRC_FLAG_PUSH);
    Frame output(av_frame_alloc());
    if (!output) return fail(StatusCode::OutOfMemory, "no memory for a frame");
    if (code >= 0) code = av_buffersink_get_frame(exit_, output.get());
    if (code < 0) {
        shape_ = {};
        if (code == AVERROR(ENOMEM)) return fail(StatusCode::OutOfMemory, "no memory for colour conversion");
        return fail(
            StatusCode::Unsupported,
            fmt::format("its colours (H.273 matrix {}, transfer {}, primaries {}, {}) cannot be converted to RGB",
                        colour.matrix, colour.transfer, colour.primaries,
                        av_get_pix_fmt_name(static_cast<AVPixelFormat>(input->format))));
    }
    return interleaved(*output, frame.width, frame.height);
}

}  // namespace reelbrush::media
