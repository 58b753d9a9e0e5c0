#include "tests/engine/media/lossless_clip.h"

#include "engine/media/ffmpeg_error.h"

#include <gtest/gtest.h>

#include <cstdint>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media::test {

namespace {

AVPixelFormat formatOfDepth(int bits) {
    switch (bits) {
        case 10:
            return AV_PIX_FMT_YUV420P10;
        case 12:
            return AV_PIX_FMT_YUV420P12;
        case 16:
            return AV_PIX_FMT_YUV420P16;
        default:
            return AV_PIX_FMT_YUV420P;
    }
}

}  // namespace

Frame flatFrame(cv::Size size, cv::Vec3i yuv, int bits) {
    Frame frame(av_frame_alloc());
    frame->format = formatOfDepth(bits);
    frame->width = size.width;
    frame->height = size.height;
    EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    for (int plane = 0; plane < 3; ++plane) {
        const int width = plane == 0 ? size.width : (size.width + 1) / 2;
        const int height = plane == 0 ? size.height : (size.height + 1) / 2;
        for (int y = 0; y < height; ++y) {
            std::uint8_t* row = frame->data[plane] + std::ptrdiff_t{y} * frame->linesize[plane];
            for (int x = 0; x < width; ++x) {
                if (bits == 8) {
                    row[x] = static_cast<std::uint8_t>(yuv[plane]);
                } else {
                    reinterpret_cast<std::uint16_t*>(row)[x] = static_cast<std::uint16_t>(yuv[plane]);
                }
            }
        }
    }
    return frame;
}

Frame inFormat(const AVFrame& frame, AVPixelFormat format) {
    Frame other(av_frame_alloc());
    other->format = format;
    other->width = frame.width;
    other->height = frame.height;
    EXPECT_GE(av_frame_get_buffer(other.get(), 0), 0);
    const Scaler scaler(sws_getContext(frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width,
                                       frame.height, format, SWS_ACCURATE_RND | SWS_POINT, nullptr, nullptr, nullptr));
    EXPECT_GT(sws_scale(scaler.get(), frame.data, frame.linesize, 0, frame.height, other->data, other->linesize), 0);
    return other;
}

void encodeLossless(const std::filesystem::path& file, const AVFrame& frame) {
    FfmpegLogCapture log;
    AVFormatContext* context = nullptr;
    ASSERT_GE(avformat_alloc_output_context2(&context, nullptr, "matroska", nullptr), 0);
    const OutputContext container(context);
    ASSERT_GE(avio_open(&container->pb, fileUrl(file).c_str(), AVIO_FLAG_WRITE), 0);

    const AVCodec* encoder = avcodec_find_encoder(AV_CODEC_ID_FFV1);
    const CodecContext codec(avcodec_alloc_context3(encoder));
    codec->width = frame.width;
    codec->height = frame.height;
    codec->pix_fmt = static_cast<AVPixelFormat>(frame.format);
    codec->time_base = {1, 25};
    codec->framerate = {25, 1};
    codec->colorspace = frame.colorspace;
    codec->color_range = frame.color_range;
    codec->color_trc = frame.color_trc;
    codec->color_primaries = frame.color_primaries;
    codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    ASSERT_GE(avcodec_open2(codec.get(), encoder, nullptr), 0) << log.lastLines();

    AVStream* stream = avformat_new_stream(container.get(), nullptr);
    stream->time_base = codec->time_base;
    stream->avg_frame_rate = codec->framerate;
    ASSERT_GE(avcodec_parameters_from_context(stream->codecpar, codec.get()), 0);
    ASSERT_GE(avformat_write_header(container.get(), nullptr), 0) << log.lastLines();
    ASSERT_GE(avcodec_send_frame(codec.get(), &frame), 0) << log.lastLines();
    ASSERT_GE(avcodec_send_frame(codec.get(), nullptr), 0);
    const Packet packet(av_packet_alloc());
    while (avcodec_receive_packet(codec.get(), packet.get()) >= 0) {
        packet->pts = packet->dts = 0;
        packet->duration = 1;
        av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
        ASSERT_GE(av_interleaved_write_frame(container.get(), packet.get()), 0);
    }
    ASSERT_GE(av_write_trailer(container.get()), 0);
}

}  // namespace reelbrush::media::test
