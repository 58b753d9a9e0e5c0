#pragma once

#include "engine/core/status.h"
#include "engine/media/clip_info.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace reelbrush::media {

/// A container for moving pictures, as known by its extension.
struct Container {
    std::string_view extension;      ///< ".mp4"
    std::string_view muxer;          ///< FFmpeg's name
    std::string_view title;          ///< "MP4": how messages call it
    std::string_view defaultCodec;   ///< a usual name
    std::string_view audioFallback;  ///< FFmpeg encoder for sound that must be re-encoded; empty: holds no sound
    std::string_view textSubtitles;  ///< FFmpeg encoder for text subtitles that cannot be copied; empty: holds none
    bool constantRateOnly = false;   ///< one tick per frame, starting at zero
};

/// Null for extensions that are not of a video file. Case does not matter.
const Container* containerFor(const std::filesystem::path& target);

/// A still picture format, as known by its extension: "png", "jpg", "webp", "tiff", "exr". Empty: none of them.
std::string pictureFormatFor(const std::filesystem::path& target);

/// Names of numbered files: "shot.%04d.png" has prefix "shot.", suffix ".png" and width 4.
struct NumberPattern {
    std::string prefix, suffix;
    int width = 0;
    std::string nameOf(std::int64_t number) const;
};

enum class OutputKind { Video, Picture, Sequence };

/// Where and what to write, as told by the target's name.
struct OutputTarget {
    OutputKind kind = OutputKind::Video;
    std::filesystem::path path;            ///< of the file; of the folder for sequences
    const Container* container = nullptr;  ///< videos only
    std::string pictureFormat;             ///< pictures and sequences only
    NumberPattern pattern;                 ///< sequences only
    bool mayCreateFolder = false;          ///< the target named a folder, not files in one
};

/// Reads a target's name; see openFrameSink for what it may be. codec: EncodeOptions::codec; for a folder it chooses
/// the picture format ("exr"). Errors: Unsupported (lists the extensions that there are).
Result<OutputTarget> parseOutputTarget(const std::filesystem::path& target, const std::string& codec);

/// BadInput where writing the target would destroy the source: the same file, also by another name or through a link,
/// or numbered pictures of the same name in the same folder. An empty source is never the same.
Status refuseOverwritingSource(const OutputTarget& target, const std::filesystem::path& source);

}  // namespace reelbrush::media
