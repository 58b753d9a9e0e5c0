#pragma once

#include "engine/core/status.h"
#include "engine/media/clip_writer.h"
#include "engine/media/ffmpeg_handles.h"

#include <memory>
#include <string>
#include <vector>

namespace reelbrush::media {

/// The part of the source's time that is carried over, in seconds of the source's clock.
struct CarriedSpan {
    Rational origin{0, 1};                 ///< becomes zero
    Rational start = Rational::unknown();  ///< unknown: from the beginning
    Rational end = Rational::unknown();    ///< unknown: to the end
};

/// One stream of the source on its way into the output. Made before the output's header is written.
class CarriedTrack {
  public:
    virtual ~CarriedTrack() = default;
    /// A packet of the stream, in its own times. Errors: those of ClipWriter.
    virtual Status take(AVPacket& packet) = 0;
    /// What is still inside. No call after it.
    virtual Status finish() = 0;
};

/// What a track needs to know of the stream that it carries.
struct TrackSetup {
    AVStream* source = nullptr;
    ClipWriter* writer = nullptr;
    const Container* container = nullptr;
    CarriedSpan span;
};

/// The track for an audio, subtitle or attachment stream: copied where the container can hold it, else re-encoded; null
/// where it must be left out. What the user should know is added to notes. Errors: Unsupported, OutOfMemory.
Result<std::unique_ptr<CarriedTrack>> makeCarriedTrack(const TrackSetup& setup, std::vector<std::string>& notes);

/// Copies packets as they are.
Result<std::unique_ptr<CarriedTrack>> makeCopyTrack(const TrackSetup& setup);
/// Decodes sound and encodes it with `encoder`.
Result<std::unique_ptr<CarriedTrack>> makeSoundTrack(const TrackSetup& setup, const std::string& encoder);
/// Decodes text subtitles and encodes them with `encoder`.
Result<std::unique_ptr<CarriedTrack>> makeTextTrack(const TrackSetup& setup, const std::string& encoder);

/// Language, title and disposition, without what described the old encoding.
void carryDescription(const TrackSetup& setup, AVStream& target, bool reencoded);

/// seconds in ticks of timeBase, to the nearest.
std::int64_t toTicks(Rational seconds, AVRational timeBase);

}  // namespace reelbrush::media
