#include "engine/media/video_encoder.h"

#include "engine/media/cuda_video_device.h"
#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

extern "C" {
#include <libavutil/opt.h>
}

namespace reelbrush::media {

namespace {

void describe(AVCodecContext& context, const EncoderChoice& choice, const EncoderSetup& setup) {
    context.width = setup.width;
    context.height = setup.height;
    context.pix_fmt = choice.format;
    context.time_base = setup.timeBase;
    if (setup.averageRate.isKnown() && setup.averageRate.num > 0) context.framerate = toAv(setup.averageRate);
    context.sample_aspect_ratio = toAv(setup.pixelAspect);
    context.color_primaries = static_cast<AVColorPrimaries>(setup.colour.primaries);
    context.color_trc = static_cast<AVColorTransferCharacteristic>(setup.colour.transfer);
    context.colorspace = static_cast<AVColorSpace>(setup.colour.matrix);
    context.color_range = setup.colour.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    context.chroma_sample_location = static_cast<AVChromaLocation>(setup.colour.chromaLocation);
    context.thread_count = setup.threads;
    context.profile = choice.profile;
    // The same frames give the same bytes, whatever the version of the library calls itself.
    context.flags |= AV_CODEC_FLAG_BITEXACT;
    if (setup.globalHeader) context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (setup.noReordering) context.max_b_frames = 0;
    if (choice.globalQuality > 0) {
        context.flags |= AV_CODEC_FLAG_QSCALE;
        context.global_quality = choice.globalQuality;
    }
}

}  // namespace

Result<std::unique_ptr<VideoEncoder>> VideoEncoder::open(const EncoderChoice& choice, const EncoderSetup& setup) {
    std::unique_ptr<VideoEncoder> encoder(new VideoEncoder());
    RB_ASSIGN(encoder->converter_, PixelConverter::open(setup.width, setup.height, choice.format, setup.colour));
    encoder->context_.reset(avcodec_alloc_context3(choice.codec));
    encoder->waiting_.reset(av_packet_alloc());
    if (!encoder->context_ || !encoder->waiting_) return fail(StatusCode::OutOfMemory, "cannot set up the encoder");
    describe(*encoder->context_, choice, setup);
    // SVT-AV1 prints past FFmpeg's log, and can be hushed by its environment variable only.
    if (std::string_view(choice.codec->name) == "libsvtav1") ::setenv("SVT_LOG", "1", 0);
    if (isNvenc(choice.codec->name)) {
        auto device = openCudaVideoDevice(std::max(setup.cudaDevice, 0));
        if (!device)
            return fail(device.error().code, fmt::format("{} cannot be used: {}; let the processor encode it",
                                                         choice.codec->name, device.error().message));
        encoder->context_->hw_device_ctx = device->release();
    }
    Options options;
    for (const auto& [key, value] : choice.options) options.set(key.c_str(), value.c_str());
    const int code = avcodec_open2(encoder->context_.get(), choice.codec, options.address());
    // libx265 reorders by two, and gives decoding times that nobody set where a clip is shorter than that.
    if (std::string_view(choice.codec->name) == "libx265" && !setup.noReordering) encoder->reorderDelay_ = 2;
    if (code == AVERROR(ENOMEM)) {
        return fail(StatusCode::OutOfMemory, fmt::format("not enough memory for the encoder {} at {}x{}",
                                                         choice.codec->name, setup.width, setup.height));
    }
    if (code < 0 && isNvenc(choice.codec->name)) {
        return fail(StatusCode::Unsupported,
                    fmt::format("the graphics card does not encode {}x{} with {}: {}; let the processor encode it",
                                setup.width, setup.height, choice.codec->name, ffmpegErrorText(code)));
    }
    if (code < 0) {
        return fail(StatusCode::Unsupported,
                    fmt::format("the encoder {} refuses pictures of {}x{}: {}; choose another codec "
                                "or size",
                                choice.codec->name, setup.width, setup.height, ffmpegErrorText(code)));
    }
    return encoder;
}

Status VideoEncoder::encode(const VideoFrame& frame, FrameClock::Place place, const PacketSink& sink) {
    RB_ASSIGN(Frame converted, converter_->convert(frame));
    converted->pts = place.time;
    converted->pkt_duration = place.duration;
    converted->sample_aspect_ratio = context_->sample_aspect_ratio;
    if (!started_) firstTime_ = place.time;
    started_ = true;
    endTime_ = std::max(endTime_, place.time + place.duration);
    durations_[place.time] = place.duration;
    if (reorderDelay_ > 0) inputTimes_.push_back(place.time);
    const int code = avcodec_send_frame(context_.get(), converted.get());
    if (code < 0) return ffmpegFailure(code, fmt::format("cannot encode frame {}", frame.index));
    return drain(sink);
}

Status VideoEncoder::flush(const PacketSink& sink) {
    const int code = avcodec_send_frame(context_.get(), nullptr);
    if (code < 0 && code != AVERROR_EOF) return ffmpegFailure(code, "cannot finish encoding");
    RB_TRY(drain(sink));
    return deliverLast(sink);
}

Status VideoEncoder::drain(const PacketSink& sink) {
    while (true) {
        Packet packet(av_packet_alloc());
        if (!packet) return fail(StatusCode::OutOfMemory, "not enough memory for an encoded frame");
        const int code = avcodec_receive_packet(context_.get(), packet.get());
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return {};
        if (code < 0) return ffmpegFailure(code, "cannot encode a frame");
        if (packet->pts == AV_NOPTS_VALUE) packet->pts = packet->dts;
        packet->dts = decodeTime(*packet);
        if (const auto known = durations_.find(packet->pts); known != durations_.end()) {
            packet->duration = known->second;
            durations_.erase(known);
        }
        if (hasWaiting_) {
            lastDecodeTime_ = waiting_->dts;
            RB_TRY(sink(*waiting_));
        } else {
            firstDecodeTime_ = packet->dts;
            lastDecodeTime_ = packet->dts - 1;
        }
        waiting_ = std::move(packet);
        hasWaiting_ = true;
    }
}

std::int64_t VideoEncoder::decodeTime(const AVPacket& packet) {
    if (reorderDelay_ == 0) return packet.dts == AV_NOPTS_VALUE ? packet.pts : packet.dts;
    // Decoding times are the frames' own times, so many frames late.
    const std::int64_t number = packetCount_++;
    if (number >= reorderDelay_) {
        const std::int64_t time = inputTimes_.front();
        inputTimes_.pop_front();
        return time;
    }
    const auto known = static_cast<std::int64_t>(inputTimes_.size());
    const std::int64_t leap = inputTimes_[static_cast<std::size_t>(std::min(reorderDelay_, known - 1))] - firstTime_;
    const std::int64_t extra = std::max<std::int64_t>(0, reorderDelay_ - (known - 1));
    return inputTimes_[static_cast<std::size_t>(number)] - leap - extra;
}

Status VideoEncoder::deliverLast(const PacketSink& sink) {
    if (!hasWaiting_) return {};
    hasWaiting_ = false;
    // Containers count a track's length in decoding order: the last packet's decoding time and length must add up to
    // the clip's end. With reordered frames of uneven length they do not by themselves, but decoding times may be
    // moved.
    const std::int64_t length = endTime_ - firstTime_;
    const std::int64_t remaining = length - (waiting_->dts - firstDecodeTime_);
    if (waiting_->duration != remaining) {
        const std::int64_t untilEnd = endTime_ - waiting_->pts;
        const std::int64_t decodeTime = firstDecodeTime_ + length - untilEnd;
        if (decodeTime > lastDecodeTime_ && decodeTime <= waiting_->pts) {
            waiting_->dts = decodeTime;
            waiting_->duration = untilEnd;
        } else {
            waiting_->duration = std::max<std::int64_t>(1, remaining);
        }
    }
    return sink(*waiting_);
}

}  // namespace reelbrush::media
