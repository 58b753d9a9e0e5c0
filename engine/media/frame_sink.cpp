#include "engine/media/frame_sink.h"

#include "engine/media/ffmpeg_error.h"
#include "engine/media/output_target.h"
#include "engine/media/sink_request.h"

#include <fmt/format.h>

namespace reelbrush::media {

namespace {

/// What the widest format takes: beyond it, sizes in bytes leave 32 bits.
constexpr int kLargestSide = 32768;

}  // namespace

Result<std::unique_ptr<FrameSink>> openFrameSink(const std::filesystem::path& target, int width, int height,
                                                 const ClipInfo& source, const std::filesystem::path& sourcePath,
                                                 const EncodeOptions& options) {
    if (width < 1 || height < 1 || width > kLargestSide || height > kLargestSide) {
        return fail(StatusCode::BadInput,
                    fmt::format("cannot write {}: a picture of {}x{} is not between 1x1 and {}x{}", quoted(target),
                                width, height, kLargestSide, kLargestSide));
    }
    RB_ASSIGN(OutputTarget parsed, parseOutputTarget(target, options.codec));
    RB_TRY(refuseOverwritingSource(parsed, sourcePath));
    const SinkRequest request{std::move(parsed), width, height, source, sourcePath, options};
    return request.target.kind == OutputKind::Video ? openVideoSink(request) : openPictureSink(request);
}

}  // namespace reelbrush::media
