#pragma once

#include "engine/diffusion/frame_painter.h"

#include <algorithm>
#include <cstddef>
#include <opencv2/core/types.hpp>

namespace reelbrush::render {

/// What a render will hold at its peak, by holder, in bytes. Does not depend on the length of the clip.
struct MemoryForecast {
    std::size_t baseBytes = 0;    ///< the program, its libraries and small buffers; measured
    std::size_t weightBytes = 0;  ///< packed weights
    std::size_t mergeBytes = 0;   ///< while the model is prepared: layers that LoRAs change, before they are packed
    std::size_t arenaBytes = 0;   ///< the painter's work space, to the byte
    std::size_t frameBytes = 0;   ///< frames in flight, with what the stages need beside them
    std::size_t codecBytes = 0;   ///< what decoder and encoder keep: reference frames and look-ahead; an estimate

    /// Merging is over before the first frame is opened.
    std::size_t totalBytes() const {
        return baseBytes + weightBytes + std::max(mergeBytes, arenaBytes + frameBytes + codecBytes);
    }
};

struct FrameShape {
    cv::Size source;   ///< as decoded
    cv::Size written;  ///< of the picture written
    bool hasAlpha = false;
    bool isVideo = true;  ///< a video is written; pictures need no look-ahead
    bool hasLoras = false;
    int abreast = 1;       ///< PipelineOptions::abreast
    int windowFrames = 1;  ///< of the painter
};

/// painter: FramePainter::memory of the painter that will be used.
MemoryForecast forecastMemory(const diffusion::PainterMemory& painter, const FrameShape& shape);

/// What painting at `size` (as of paintingSize) takes at least, told before a painter is made: making one measures
/// algorithms at that size, which itself might not fit. Errors: OutOfMemory when even that is above `limitBytes`; never
/// for sizes that are harmless to try, whose need is then known exactly.
Status checkPaintable(cv::Size size, std::size_t limitBytes);

/// Errors: OutOfMemory when the forecast is above `limitBytes`; says what is needed and what it is needed for.
Status checkForecast(const MemoryForecast& forecast, std::size_t limitBytes);

}  // namespace reelbrush::render
