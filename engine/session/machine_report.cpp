#include "engine/session/machine_report.h"

#include "engine/core/process_memory.h"
#include "engine/media/encoder_presence.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/processor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace reelbrush::session {

namespace {

/// Below this, films of the usual sizes do not fit beside a desktop.
constexpr double kEnoughMemoryGib = 2;

struct EncoderUse {
    const char* name;
    const char* use;
    bool needed;
};

constexpr std::array<EncoderUse, 10> kEncoders{{
    {"libx264", "H.264", true},
    {"aac", "sound in MP4", true},
    {"png", "pictures", true},
    {"exr", "OpenEXR", true},
    {"libx265", "H.265", false},
    {"libsvtav1", "AV1", false},
    {"libvpx-vp9", "WebM", false},
    {"libopus", "sound in WebM", false},
    {"prores_ks", "ProRes", false},
    {"ffv1", "lossless", false},
}};

}  // namespace

std::vector<MachineFinding> examineProcessorAndMemory() {
    std::vector<MachineFinding> findings;
    const std::vector<std::string> sets = kernels::processorInstructionSets();
    const bool hasAvx2 = std::find(sets.begin(), sets.end(), "AVX2") != sets.end();
    findings.push_back(
        {"processor", hasAvx2 ? FindingKind::Good : FindingKind::Missing,
         fmt::format("{}, {} usable, {}; oneDNN uses {}", kernels::processorName(), kernels::availableProcessors(),
                     fmt::join(sets, " "), kernels::onednnInstructionSet()),
         hasAvx2 ? "" : "a processor with AVX2 paints several times faster"});
    findings.push_back({"int8", kernels::cpuHasFastInt8() ? FindingKind::Good : FindingKind::Note,
                        kernels::cpuHasFastInt8() ? "fast int8 products (VNNI)"
                                                  : "no fast int8 products (VNNI): painting uses float32",
                        ""});
    const double gib = static_cast<double>(availableMemoryBytes()) / 0x1p30;
    const bool enough = gib >= kEnoughMemoryGib;
    findings.push_back({"memory", enough ? FindingKind::Good : FindingKind::Missing,
                        fmt::format("{:.1f} GiB can be used now", gib),
                        enough ? "" : "close other programs, or paint at a smaller --size"});
    return findings;
}

std::vector<MachineFinding> examineCodecs() {
    std::vector<std::string> present, missing, lacking;
    for (const EncoderUse& encoder : kEncoders) {
        std::string text = fmt::format("{} ({})", encoder.name, encoder.use);
        if (media::hasEncoder(encoder.name))
            present.push_back(std::move(text));
        else
            (encoder.needed ? missing : lacking).push_back(std::move(text));
    }
    std::vector<MachineFinding> findings;
    findings.push_back({"codecs", FindingKind::Good,
                        fmt::format("FFmpeg {}: {}", media::ffmpegVersion(), fmt::join(present, ", ")), ""});
    if (!missing.empty())
        findings.push_back({"codecs", FindingKind::Missing, fmt::format("no {}", fmt::join(missing, ", ")),
                            "apt-get install libavcodec59 (Debian's build has them all)"});
    if (!lacking.empty())
        findings.push_back({"codecs", FindingKind::Note, fmt::format("no {}", fmt::join(lacking, ", ")), ""});
    return findings;
}

std::vector<MachineFinding> examineMachine() {
    std::vector<MachineFinding> all;
    for (const auto examine : {examineProcessorAndMemory, examineGraphics, examineGraphicsVideo, examineCodecs,
                               examineFonts, examineModelsAndStyles, examineFolders}) {
        std::vector<MachineFinding> findings = examine();
        std::move(findings.begin(), findings.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace reelbrush::session
