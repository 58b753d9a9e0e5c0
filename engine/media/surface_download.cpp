#include "engine/media/surface_download.h"

#include "engine/media/ffmpeg_error.h"

#include <cstring>

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

constexpr const char* kWhat = "cannot fetch a frame from the graphics card";

template <typename Sample>
Sample* rowOf(const AVFrame& frame, int plane, int y) {
    return reinterpret_cast<Sample*>(frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane]);
}

void splitPairs(const std::uint8_t* pairs, std::uint8_t* first, std::uint8_t* second, int count) {
    for (int x = 0; x < count; ++x) {
        first[x] = pairs[2 * x];
        second[x] = pairs[2 * x + 1];
    }
}

void splitPairs(const std::uint16_t* pairs, std::uint16_t* first, std::uint16_t* second, int count, int shift) {
    for (int x = 0; x < count; ++x) {
        first[x] = static_cast<std::uint16_t>(pairs[2 * x] >> shift);
        second[x] = static_cast<std::uint16_t>(pairs[2 * x + 1] >> shift);
    }
}

void copyBytes(const AVFrame& from, AVFrame& to) {
    const int chromaWidth = (from.width + 1) / 2, chromaHeight = (from.height + 1) / 2;
    for (int y = 0; y < from.height; ++y)
        std::memcpy(rowOf<std::uint8_t>(to, 0, y), rowOf<std::uint8_t>(from, 0, y),
                    static_cast<std::size_t>(from.width));
    for (int y = 0; y < chromaHeight; ++y)
        splitPairs(rowOf<std::uint8_t>(from, 1, y), rowOf<std::uint8_t>(to, 1, y), rowOf<std::uint8_t>(to, 2, y),
                   chromaWidth);
}

/// Surfaces hold the bits at the top of 16, planes at the bottom.
void copyWords(const AVFrame& from, AVFrame& to, int bits) {
    const int chromaWidth = (from.width + 1) / 2, chromaHeight = (from.height + 1) / 2;
    const int shift = 16 - bits;
    for (int y = 0; y < from.height; ++y) {
        const auto* samples = rowOf<std::uint16_t>(from, 0, y);
        auto* luma = rowOf<std::uint16_t>(to, 0, y);
        for (int x = 0; x < from.width; ++x) luma[x] = static_cast<std::uint16_t>(samples[x] >> shift);
    }
    for (int y = 0; y < chromaHeight; ++y)
        splitPairs(rowOf<std::uint16_t>(from, 1, y), rowOf<std::uint16_t>(to, 1, y), rowOf<std::uint16_t>(to, 2, y),
                   chromaWidth, shift);
}

}  // namespace

Result<Frame> planesOf(const AVFrame& pairs, AVPixelFormat wanted) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(wanted);
    const bool isDeep = pairs.format == AV_PIX_FMT_P010LE || pairs.format == AV_PIX_FMT_P016LE;
    if (!description || description->nb_components != 3 || description->log2_chroma_w != 1 ||
        description->log2_chroma_h != 1 || (description->comp[0].depth > 8) != isDeep ||
        (!isDeep && pairs.format != AV_PIX_FMT_NV12))
        return fail(StatusCode::Unsupported, "the graphics card gives frames in an unknown layout");
    Frame planes(av_frame_alloc());
    if (!planes) return fail(StatusCode::OutOfMemory, kWhat);
    planes->format = wanted;
    planes->width = pairs.width;
    planes->height = pairs.height;
    int code = av_frame_get_buffer(planes.get(), 0);
    if (code >= 0) code = av_frame_copy_props(planes.get(), &pairs);
    if (code < 0) return ffmpegFailure(code, kWhat);
    if (isDeep) {
        copyWords(pairs, *planes, description->comp[0].depth);
    } else {
        copyBytes(pairs, *planes);
    }
    // Right and bottom were cut on the surface already.
    code = av_frame_apply_cropping(planes.get(), 0);
    if (code < 0) return ffmpegFailure(code, kWhat);
    return planes;
}

Status SurfaceDownload::prepareLanding(const AVFrame& surface) {
    const auto* frames = reinterpret_cast<const AVHWFramesContext*>(surface.hw_frames_ctx->data);
    if (landing_ && landing_->format == frames->sw_format && landing_->buf[0] && landing_->width >= surface.width &&
        landing_->height >= surface.height && landing_->linesize[0] >= frames->width)
        return {};
    landing_.reset(av_frame_alloc());
    if (!landing_) return fail(StatusCode::OutOfMemory, kWhat);
    landing_->format = frames->sw_format;
    landing_->width = frames->width;
    landing_->height = frames->height;
    const int code = av_frame_get_buffer(landing_.get(), 0);
    if (code < 0) return ffmpegFailure(code, kWhat);
    return {};
}

Result<Frame> SurfaceDownload::download(const AVFrame& surface, AVPixelFormat wanted) {
    RB_ENSURE(surface.hw_frames_ctx, "a frame in memory is fetched from the graphics card");
    RB_TRY(prepareLanding(surface));
    int code = av_hwframe_transfer_data(landing_.get(), &surface, 0);
    if (code < 0) return ffmpegFailure(code, kWhat);
    Frame pairs(av_frame_clone(landing_.get()));
    if (!pairs) return fail(StatusCode::OutOfMemory, kWhat);
    code = av_frame_copy_props(pairs.get(), &surface);
    if (code < 0) return ffmpegFailure(code, kWhat);
    pairs->width = surface.width;
    pairs->height = surface.height;
    return planesOf(*pairs, wanted);
}

}  // namespace reelbrush::media
