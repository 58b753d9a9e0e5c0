#include "engine/media/hardware_decoders.h"

#include "engine/media/cuda_driver.h"

#include <array>

namespace reelbrush::media {

namespace {

/// The answer of cuvidGetDecoderCaps, laid out as the driver's interface fixes it (NVDEC Video Decoder API Programming
/// Guide, "Querying decode capabilities").
struct DecoderCaps {
    int codec = 0;
    int chroma = 1;  // 4:2:0
    unsigned bitsAboveEight = 0;
    unsigned reservedInputs[3] = {};
    unsigned char isSupported = 0;
    unsigned char engines = 0;
    unsigned short outputFormats = 0;
    unsigned maxWidth = 0, maxHeight = 0, maxMacroblocks = 0;
    unsigned short minWidth = 0, minHeight = 0;
    unsigned char histogramSupported = 0;
    unsigned char histogramCounterBits = 0;
    unsigned short histogramBins = 0;
    unsigned reserved[10] = {};
};
static_assert(sizeof(DecoderCaps) == 88);

struct CuvidCodec {
    const char* name;
    int number;  ///< of cudaVideoCodec
};

constexpr std::array kCodecs{CuvidCodec{"h264", 4}, CuvidCodec{"hevc", 8}, CuvidCodec{"vp8", 9}, CuvidCodec{"vp9", 10},
                             CuvidCodec{"av1", 11}};
constexpr std::array kBits{8, 10, 12};

}  // namespace

Result<std::vector<HardwareDecoder>> probeHardwareDecoders(int device) {
    RB_ASSIGN(const auto context, CudaPrimaryContext::open(device));
    const auto library = DriverLibrary::open("libnvcuvid.so.1");
    int (*ask)(DecoderCaps*) = nullptr;
    if (!library)
        return fail(StatusCode::Unsupported,
                    "the NVIDIA driver is here without its video decoder (libnvcuvid.so.1); install libnvcuvid1, or "
                    "give a container the driver capability 'video'");
    if (!library->find(ask, "cuvidGetDecoderCaps"))
        return fail(StatusCode::Unsupported, "the NVIDIA driver is too old for video; install version 525 or later");
    const CudaPrimaryContext::Current current(*context);
    std::vector<HardwareDecoder> decoders;
    for (const CuvidCodec& codec : kCodecs) {
        for (const int bits : kBits) {
            DecoderCaps caps;
            caps.codec = codec.number;
            caps.bitsAboveEight = static_cast<unsigned>(bits - 8);
            if (ask(&caps) != 0 || caps.isSupported == 0) continue;
            decoders.push_back({codec.name, bits, caps.minWidth, caps.minHeight, static_cast<int>(caps.maxWidth),
                                static_cast<int>(caps.maxHeight), caps.maxMacroblocks});
        }
    }
    return decoders;
}

}  // namespace reelbrush::media
