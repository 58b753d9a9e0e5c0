#pragma once

#include "engine/render/memory_forecast.h"
#include "engine/session/memory_report.h"
#include "engine/session/stylize_request.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::session {

/// What a restyling did.
struct StylizeReport {
    std::filesystem::path output;
    std::string style;
    std::string device;  ///< what painted: "CPU", or the GPU's name
    PictureSize size;
    std::int64_t frames = 0;
    std::int64_t shots = 0;
    double seconds = 0;         ///< all of it
    double prepareSeconds = 0;  ///< of it, before the first frame was painted
    std::int64_t bytesWritten = 0;
    render::MemoryForecast forecast;
    std::size_t measuredPeakBytes = 0;   ///< highest resident memory of this process so far
    std::size_t residentArenaBytes = 0;  ///< of the forecast's arena, what the system backs
    MemoryReport memory;                 ///< who held what
    std::vector<std::string> notes;      ///< sentences for the user: "audio re-encoded to AAC"
    std::vector<std::string> loras;      ///< for each LoRA how much of it reached the model

    /// Frames per second while painting; 0 when unknown.
    double framesPerSecond() const {
        const double painting = seconds - prepareSeconds;
        return painting > 0 ? static_cast<double>(frames) / painting : 0;
    }
};

}  // namespace reelbrush::session
