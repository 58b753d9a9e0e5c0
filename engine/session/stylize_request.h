#pragma once

#include "engine/core/rational.h"
#include "engine/core/status.h"
#include "engine/diffusion/compute_device.h"
#include "engine/diffusion/frame_painter.h"
#include "engine/media/frame_sink.h"
#include "engine/styles/style_card.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::session {

struct PictureSize {
    int width = 0, height = 0;  ///< pixels, 1 to 16384
    bool operator==(const PictureSize&) const = default;
};

/// What one restyling is to do: a snapshot, immutable once it is submitted. Fields that are not set follow the style
/// card, or the clip.
struct StylizeRequest {
    std::filesystem::path input;   ///< a video, a picture or a picture sequence: see media::openFrameSource
    std::filesystem::path output;  ///< see media::openFrameSink; one picture takes the first frame of the range
    styles::StyleCard style;

    /// Added to the card's; one that the card has already takes this strength.
    std::vector<styles::StyleLora> loras;
    std::optional<double> structure;  ///< 0..1
    std::optional<bool> keepColours;
    std::optional<int> steps;        ///< 1..1000
    std::optional<double> guidance;  ///< 0..100
    std::optional<std::uint64_t> seed;

    /// Of what is painted and written; not set: as the clip is shown. Another size than the clip's is written with
    /// square pixels.
    std::optional<PictureSize> size;
    std::int64_t firstFrame = 0;  ///< counted from 0
    std::int64_t lastFrame = -1;  ///< belongs to the range; negative: to the end
    Rational sequenceRate{25, 1};
    bool toneMapHdr = false;

    std::string codec;  ///< see media::EncodeOptions
    int quality = 80;   ///< 0..100
    media::EncoderPlace encoder = media::EncoderPlace::Auto;
    bool overwrite = true;

    kernels::Precision precision = kernels::Precision::Fastest;
    diffusion::ComputeDevice device;
    int batchFrames = 0;        ///< painted at once; 0: one on the processor, as many as keep a GPU busy there
    int threads = 0;            ///< of painting and preparing each; 0: every processor that this process may use
    std::size_t ramBytes = 0;   ///< ceiling for the predicted peak; 0: what the system can give, minus a margin
    std::size_t vramBytes = 0;  ///< ceiling for weights and work space on a GPU; 0: none

    std::filesystem::path traceFile{};  ///< where what happens when is written, as Chrome trace events; empty: nowhere
};

/// The card with the request's overrides applied.
styles::StyleCard effectiveStyle(const StylizeRequest& request);

/// Errors: BadInput for a value outside its range; names what was expected.
Status checkValues(const StylizeRequest& request);

/// Errors: BadInput for an output that exists although it must not be replaced, or that is a file of the style.
Status checkOutput(const StylizeRequest& request);

}  // namespace reelbrush::session
