#include "engine/media/cuda_driver.h"
#include "engine/media/hardware_decoders.h"
#include "engine/media/hardware_encoders.h"
#include "engine/session/machine_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace reelbrush::session {

namespace {

constexpr const char* kArea = "video on the GPU";

/// "h264 (8 bit, to 4096x4096), hevc (8, 10 bit, to 8192x8192)"
std::string decoderText(const std::vector<media::HardwareDecoder>& decoders) {
    std::vector<std::string> codecs;
    for (std::size_t i = 0; i < decoders.size();) {
        const media::HardwareDecoder& first = decoders[i];
        std::vector<int> bits;
        for (; i < decoders.size() && decoders[i].codec == first.codec; ++i)
            bits.push_back(decoders[i].bitsPerComponent);
        codecs.push_back(
            fmt::format("{} ({} bit, to {}x{})", first.codec, fmt::join(bits, ", "), first.maxWidth, first.maxHeight));
    }
    return fmt::format("{}", fmt::join(codecs, ", "));
}

}  // namespace

std::vector<MachineFinding> examineGraphicsVideo() {
    if (!media::hasCudaDriver()) return {};
    std::vector<MachineFinding> findings;
    const auto decoders = media::probeHardwareDecoders(0);
    if (!decoders) {
        findings.push_back({kArea, FindingKind::Note, "the processor decodes", decoders.error().message});
    } else if (decoders->empty()) {
        findings.push_back({kArea, FindingKind::Note, "the processor decodes: this card has no NVDEC", ""});
    } else {
        findings.push_back({kArea, FindingKind::Good, fmt::format("NVDEC decodes {}", decoderText(*decoders)), ""});
    }
    const auto encoders = media::probeHardwareEncoders(0);
    findings.push_back(encoders ? MachineFinding{kArea, FindingKind::Good,
                                                 fmt::format("NVENC encodes: {}", fmt::join(*encoders, ", ")), ""}
                                : MachineFinding{kArea, FindingKind::Note, "the processor encodes: no NVENC here",
                                                 encoders.error().message});
    return findings;
}

}  // namespace reelbrush::session
