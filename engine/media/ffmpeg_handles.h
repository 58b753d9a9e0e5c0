#pragma once

#include <memory>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/frame.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

/// Owners for FFmpeg's objects: each frees with the function that belongs to the object. Internal to engine/media: no
/// public header includes this one.
namespace reelbrush::media {

/// Frees through a function that takes the address of the pointer, as most of FFmpeg's do.
template <auto kFree>
struct FfmpegDelete {
    template <typename T>
    void operator()(T* object) const {
        kFree(&object);
    }
};

struct SwsDelete {
    void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

/// Writing contexts are allocated without an input: closes the file that they write to, then frees them.
struct OutputContextDelete {
    void operator()(AVFormatContext* context) const {
        if (context->oformat && !(context->oformat->flags & AVFMT_NOFILE)) avio_closep(&context->pb);
        avformat_free_context(context);
    }
};

using InputContext = std::unique_ptr<AVFormatContext, FfmpegDelete<avformat_close_input>>;
using OutputContext = std::unique_ptr<AVFormatContext, OutputContextDelete>;
using CodecContext = std::unique_ptr<AVCodecContext, FfmpegDelete<avcodec_free_context>>;
using CodecParameters = std::unique_ptr<AVCodecParameters, FfmpegDelete<avcodec_parameters_free>>;
using FilterGraph = std::unique_ptr<AVFilterGraph, FfmpegDelete<avfilter_graph_free>>;
using FilterInOut = std::unique_ptr<AVFilterInOut, FfmpegDelete<avfilter_inout_free>>;
using Frame = std::unique_ptr<AVFrame, FfmpegDelete<av_frame_free>>;
using Packet = std::unique_ptr<AVPacket, FfmpegDelete<av_packet_free>>;
using Resampler = std::unique_ptr<SwrContext, FfmpegDelete<swr_free>>;
using Scaler = std::unique_ptr<SwsContext, SwsDelete>;
using BufferRef = std::unique_ptr<AVBufferRef, FfmpegDelete<av_buffer_unref>>;

/// Options for FFmpeg's open functions, which take what they know out of the dictionary and leave the rest.
class Options {
  public:
    Options() = default;
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;
    ~Options() { av_dict_free(&dictionary_); }

    void set(const char* key, const char* value) { av_dict_set(&dictionary_, key, value, 0); }
    AVDictionary** address() { return &dictionary_; }

  private:
    AVDictionary* dictionary_ = nullptr;
};

}  // namespace reelbrush::media
