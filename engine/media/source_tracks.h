#pragma once

#include "engine/media/carried_track.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <vector>

namespace reelbrush::media {

/// Sound, subtitles, chapters and metadata of a clip, read alongside the frames and carried into the output. Reads only
/// as far as the picture has come, so that memory does not grow with the clip. Not thread-safe.
class SourceTracks {
  public:
    /// Opens the clip once more and adds its streams to the writer, which has not been started. shiftClock: containers
    /// whose clock starts anywhere (MPEG transport streams) are brought to zero. Errors: Io, BadInput.
    static Result<std::unique_ptr<SourceTracks>> open(const std::filesystem::path& clip, const CarriedSpan& span,
                                                      const Container& container, ClipWriter& writer,
                                                      std::vector<std::string>& notes);
    /// Carries everything that the source stores up to that time of its clock.
    Status carryUntil(Rational time);
    /// Carries the rest.
    Status finish();

    const CarriedSpan& span() const { return span_; }

  private:
    SourceTracks() = default;
    void addChapters(ClipWriter& writer);
    Status take(AVPacket& packet);

    InputContext input_;
    CarriedSpan span_;
    std::vector<std::unique_ptr<CarriedTrack>> tracks_;  ///< by stream of the input; null: left out
    Packet packet_;
    Rational reached_ = Rational::unknown();
    bool ended_ = false;
};

/// What becomes zero when a clip is written whole: zero itself, but the earliest start of a container whose clock
/// starts anywhere. Unknown where the clip cannot be opened.
Rational clockOrigin(const AVFormatContext& input);

}  // namespace reelbrush::media
