#include "engine/media/hardware_encoders.h"

#include "engine/media/cuda_video_device.h"
#include "engine/media/ffmpeg_error.h"
#include "engine/media/ffmpeg_log.h"

#include <fmt/format.h>

#include <array>

namespace reelbrush::media {

namespace {

constexpr std::array kEncoders{"h264_nvenc", "hevc_nvenc", "av1_nvenc"};
/// Above the least size of every card.
constexpr int kWidth = 640, kHeight = 360;

int open(const AVCodec& encoder, AVBufferRef& device) {
    const CodecContext context(avcodec_alloc_context3(&encoder));
    if (!context) return AVERROR(ENOMEM);
    context->width = kWidth;
    context->height = kHeight;
    context->pix_fmt = AV_PIX_FMT_YUV420P;
    context->time_base = {1, 25};
    context->hw_device_ctx = av_buffer_ref(&device);
    return avcodec_open2(context.get(), &encoder, nullptr);
}

}  // namespace

Result<std::vector<std::string>> probeHardwareEncoders(int device) {
    FfmpegLogCapture log;
    const auto listening = log.listen();
    RB_ASSIGN(const BufferRef card, openCudaVideoDevice(device));
    std::vector<std::string> names;
    std::string reason = "the installed FFmpeg has no NVENC encoders";
    for (const char* name : kEncoders) {
        const AVCodec* encoder = avcodec_find_encoder_by_name(name);
        if (!encoder) continue;
        const int code = open(*encoder, *card);
        if (code >= 0) {
            names.emplace_back(name);
        } else {
            reason = ffmpegErrorText(code) + ffmpegRemark(log);
        }
    }
    if (names.empty()) return fail(StatusCode::Unsupported, fmt::format("NVENC cannot be used: {}", reason));
    return names;
}

}  // namespace reelbrush::media
