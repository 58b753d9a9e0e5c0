#include "engine/render/memory_forecast.h"

#include "engine/render/frame_pipeline.h"
#include "engine/render/painting_size.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::render {

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kRgbBytes = 3 * sizeof(float);
constexpr std::size_t kAlphaBytes = sizeof(float);

/// Beside the frame itself the structure image takes a few planes of floats: luma, filtered luma, means, coefficients.
constexpr std::size_t kStructurePlanes = 10;

/// What encoders keep while they look ahead and while their threads work: about 16 frames, each with copies of half its
/// size and motion vectors. Measured with H.264 and VP9, 8 bits; AV1 takes several times as much.
constexpr std::size_t kLookAheadFrames = 16;
constexpr std::size_t kLookAheadBytes = 6;
/// The decoder keeps reference frames and those that FFmpeg passes on.
constexpr std::size_t kDecodedFrames = 12;
constexpr std::size_t kDecodedBytes = 2;

/// Resident memory of the program before it holds anything of the above: code of FFmpeg, OpenCV and oneDNN, their
/// tables and thread stacks. Measured on Debian 12 with a clip of 32x32: 92 to 98.
constexpr std::size_t kBaseBytes = 100 * kMebibyte;

/// The UNet's layers that LoRAs commonly change, in float32. Measured with the bundled model and LoRAs.
constexpr std::size_t kMergeBytes = 50 * kMebibyte;

/// Work space by painted pixel, below what any measured size took; only for refusing the hopeless.
constexpr std::size_t kLeastArenaBytesPerPixel = 200;
/// Below this a painter can be made just to see what it takes, which is then told to the byte.
constexpr std::size_t kHarmlessBytes = 1024 * kMebibyte;

std::size_t areaOf(cv::Size size) {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

std::size_t mebibytes(std::size_t bytes) {
    return (bytes + kMebibyte - 1) / kMebibyte;
}

}  // namespace

MemoryForecast forecastMemory(const diffusion::PainterMemory& painter, const FrameShape& shape) {
    const std::size_t alpha = shape.hasAlpha ? kAlphaBytes : 0;
    const std::size_t source = areaOf(shape.source), written = areaOf(shape.written);
    const std::size_t painted = areaOf(paintingSize(shape.written));
    const auto abreast = static_cast<std::size_t>(std::max(1, shape.abreast));

    MemoryForecast forecast;
    if (!painter.onDevice) {
        forecast.arenaBytes = painter.arenaBytes;
        forecast.weightBytes = painter.weightBytes;
    }
    // In the hands of the decoder and the preparer, and between them.
    forecast.frameBytes += (1 + 2 * abreast) * source * kRgbBytes;
    forecast.frameBytes += abreast * written * (kRgbBytes + kStructurePlanes * sizeof(float));
    // Structure images between preparer and painter; paintings from there to the encoder, the last ones cut to size.
    forecast.frameBytes += (1 + 2 * abreast) * painted * kRgbBytes;
    forecast.frameBytes += (1 + 2 * abreast) * painted * kRgbBytes + abreast * written * kRgbBytes;
    forecast.frameBytes += static_cast<std::size_t>(framesInFlight(shape.abreast)) * source * alpha;
    // A window's pictures and paintings.
    if (shape.windowFrames > 1)
        forecast.frameBytes += 3 * static_cast<std::size_t>(shape.windowFrames) * painted * kRgbBytes;
    forecast.codecBytes = kDecodedFrames * kDecodedBytes * source;
    if (shape.isVideo) forecast.codecBytes += kLookAheadFrames * kLookAheadBytes * written;
    forecast.baseBytes = kBaseBytes;
    if (shape.hasLoras) forecast.mergeBytes = kMergeBytes;
    return forecast;
}

Status checkPaintable(cv::Size size, std::size_t limitBytes) {
    const std::size_t least = areaOf(size) * kLeastArenaBytesPerPixel + kBaseBytes;
    if (least <= limitBytes || least <= kHarmlessBytes) return {};
    return fail(StatusCode::OutOfMemory,
                fmt::format("painting at {}x{} needs at least {} MiB of memory, and {} MiB are allowed; allow more or "
                            "choose a smaller size",
                            size.width, size.height, mebibytes(least), limitBytes / kMebibyte));
}

Status checkForecast(const MemoryForecast& forecast, std::size_t limitBytes) {
    if (forecast.totalBytes() <= limitBytes) return {};
    return fail(
        StatusCode::OutOfMemory,
        fmt::format("this needs {} MiB of memory (weights {}, work space {}, frames {}, codecs {}, program {}), and {} "
                    "MiB are allowed; allow more or choose a smaller size",
                    mebibytes(forecast.totalBytes()), mebibytes(forecast.weightBytes), mebibytes(forecast.arenaBytes),
                    mebibytes(forecast.frameBytes), mebibytes(forecast.codecBytes), mebibytes(forecast.baseBytes),
                    limitBytes / kMebibyte));
}

}  // namespace reelbrush::render
