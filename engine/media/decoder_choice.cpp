#include "engine/media/decoder_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media {

namespace {

constexpr int kMacroblock = 16;

/// Planar 4:2:0 Y'CbCr, the only layout that every card gives back unchanged.
bool isPlain420(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    constexpr std::uint64_t kOther = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_BE;
    return description && (description->flags & kOther) == 0 && description->nb_components == 3 &&
           description->log2_chroma_w == 1 && description->log2_chroma_h == 1;
}

int macroblocksAlong(int pixels) {
    return (pixels + kMacroblock - 1) / kMacroblock;
}

bool fits(const HardwareDecoder& decoder, const StreamTraits& stream) {
    const std::int64_t macroblocks =
        std::int64_t{macroblocksAlong(stream.width)} * std::int64_t{macroblocksAlong(stream.height)};
    return stream.width >= decoder.minWidth && stream.width <= decoder.maxWidth && stream.height >= decoder.minHeight &&
           stream.height <= decoder.maxHeight && macroblocks <= decoder.maxMacroblocks;
}

}  // namespace

StreamTraits traitsOf(const AVStream& stream) {
    const AVCodecParameters& parameters = *stream.codecpar;
    const AVDictionaryEntry* alpha = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
    StreamTraits traits;
    traits.codec = parameters.codec_id;
    traits.format = static_cast<AVPixelFormat>(parameters.format);
    traits.width = parameters.width;
    traits.height = parameters.height;
    traits.alphaBeside = alpha && std::string_view(alpha->value) == "1";
    return traits;
}

const AVCodec* softwareDecoder(const StreamTraits& stream) {
    const AVCodec* decoder = nullptr;
    if (stream.alphaBeside && stream.codec == AV_CODEC_ID_VP9) decoder = avcodec_find_decoder_by_name("libvpx-vp9");
    if (stream.alphaBeside && stream.codec == AV_CODEC_ID_VP8) decoder = avcodec_find_decoder_by_name("libvpx");
    return decoder ? decoder : avcodec_find_decoder(stream.codec);
}

const AVCodec* cudaDecoder(AVCodecID codec) {
    void* position = nullptr;
    while (const AVCodec* decoder = av_codec_iterate(&position)) {
        // The decoders that are nothing but the card's ("h264_cuvid") parse by themselves, and lose times and tags.
        const bool isOther = decoder->id != codec || !av_codec_is_decoder(decoder) ||
                             (decoder->capabilities & AV_CODEC_CAP_HARDWARE) != 0;
        for (int i = 0; !isOther; ++i) {
            const AVCodecHWConfig* config = avcodec_get_hw_config(decoder, i);
            if (!config) break;
            if (config->pix_fmt == AV_PIX_FMT_CUDA && (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0)
                return decoder;
        }
    }
    return nullptr;
}

std::string reasonAgainstHardware(const StreamTraits& stream, const std::vector<HardwareDecoder>& offered) {
    const std::string codec = avcodec_get_name(stream.codec);
    const auto isCodec = [&](const HardwareDecoder& decoder) { return decoder.codec == codec; };
    if (std::none_of(offered.begin(), offered.end(), isCodec)) return fmt::format("it takes no {}", codec);
    if (!cudaDecoder(stream.codec)) return fmt::format("the installed FFmpeg does not use it for {}", codec);
    if (stream.alphaBeside) return "it gives no alpha channel";
    if (!isPlain420(stream.format)) return fmt::format("it takes {} with 4:2:0 chroma only", codec);
    const int bits = av_pix_fmt_desc_get(stream.format)->comp[0].depth;
    const auto serves = [&](const HardwareDecoder& decoder) {
        return isCodec(decoder) && decoder.bitsPerComponent == bits;
    };
    const auto decoder = std::find_if(offered.begin(), offered.end(), serves);
    if (decoder == offered.end()) return fmt::format("it takes no {} with {} bits per component", codec, bits);
    // FFmpeg takes the chroma of odd sizes from half a row too early.
    if (stream.width % 2 != 0 || stream.height % 2 != 0) {
        if (stream.codec != AV_CODEC_ID_H264 && stream.codec != AV_CODEC_ID_HEVC) return "it takes even sizes only";
    }
    if (!fits(*decoder, stream))
        return fmt::format("it takes {} from {}x{} to {}x{}, not {}x{}", codec, decoder->minWidth, decoder->minHeight,
                           decoder->maxWidth, decoder->maxHeight, stream.width, stream.height);
    return {};
}

}  // namespace reelbrush::media
