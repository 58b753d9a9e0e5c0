#include "engine/media/output_target.h"

#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <system_error>
#include <utility>

namespace reelbrush::media {

namespace {

namespace fs = std::filesystem;

constexpr std::array kContainers{
    Container{".mp4", "mp4", "MP4", "h264", "aac", "mov_text"},
    Container{".m4v", "mp4", "MP4", "h264", "aac", "mov_text"},
    Container{".mov", "mov", "QuickTime", "h264", "aac", "mov_text"},
    Container{".mkv", "matroska", "Matroska", "h264", "flac", "subrip"},
    Container{".webm", "webm", "WebM", "vp9", "libopus", "webvtt"},
    Container{".avi", "avi", "AVI", "h264", "pcm_s16le", "", true},
    Container{".gif", "gif", "GIF", "gif", "", "", true},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kPictures{{{".png", "png"},
                                                                                  {".jpg", "jpg"},
                                                                                  {".jpeg", "jpg"},
                                                                                  {".webp", "webp"},
                                                                                  {".tif", "tiff"},
                                                                                  {".tiff", "tiff"},
                                                                                  {".exr", "exr"}}};

constexpr int kFolderNumberWidth = 6;

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return text;
}

/// In a pattern "%%" stands for a percent sign.
std::string unescaped(const std::string& text) {
    static const std::regex kPercents("%%");
    return std::regex_replace(text, kPercents, "%");
}

/// A file name with exactly one "%d" or "%04d".
std::optional<NumberPattern> parsePattern(const std::string& name) {
    static const std::regex kNumbered("((?:[^%]|%%)*)%0?([0-9]{0,2})d((?:[^%]|%%)*)");
    std::smatch match;
    if (!std::regex_match(name, match, kNumbered)) return std::nullopt;
    return NumberPattern{unescaped(match[1]), unescaped(match[3]), match[2].length() > 0 ? std::stoi(match[2]) : 0};
}

/// "shot.0042.png" as the pattern that it is one of: the last run of digits before the extension is the number.
NumberPattern patternOf(const fs::path& file) {
    const std::string name = file.filename().string();
    if (auto pattern = parsePattern(name)) return *pattern;
    const std::string stem = file.stem().string();
    const std::size_t last = stem.find_last_of("0123456789");
    if (last == std::string::npos) return {name, "", 0};
    std::size_t first = last;
    while (first > 0 && stem[first - 1] >= '0' && stem[first - 1] <= '9') --first;
    return {name.substr(0, first), name.substr(last + 1), 0};
}

OutputTarget folderTarget(const fs::path& target, std::string format) {
    const fs::path folder = target.has_filename() ? target : target.parent_path();
    NumberPattern pattern{"", "." + format, kFolderNumberWidth};
    return {OutputKind::Sequence, folder, nullptr, std::move(format), pattern, true};
}

}  // namespace

const Container* containerFor(const fs::path& target) {
    const std::string extension = lowered(target.extension().string());
    const auto found = std::find_if(kContainers.begin(), kContainers.end(),
                                    [&](const Container& container) { return container.extension == extension; });
    return found == kContainers.end() ? nullptr : &*found;
}

std::string pictureFormatFor(const fs::path& target) {
    const std::string extension = lowered(target.extension().string());
    for (const auto& [known, format] : kPictures) {
        if (known == extension) return std::string(format);
    }
    return {};
}

std::string NumberPattern::nameOf(std::int64_t number) const {
    return fmt::format("{}{:0{}}{}", prefix, number, width, suffix);
}

Result<OutputTarget> parseOutputTarget(const fs::path& target, const std::string& codec) {
    if (target.empty()) return fail(StatusCode::BadInput, "no output file was named");
    std::error_code ignored;
    if (!target.has_filename() || fs::is_directory(target, ignored)) {
        std::string format = codec.empty() ? "png" : pictureFormatFor("picture." + codec);
        if (format.empty()) {
            return fail(
                StatusCode::Unsupported,
                fmt::format("cannot write '{}' into the folder {}: a folder takes numbered pictures (png, jpg, webp, "
                            "tiff, exr); name a file such as film.mp4 for a video",
                            codec, quoted(target)));
        }
        return folderTarget(target, std::move(format));
    }
    if (std::string format = pictureFormatFor(target); !format.empty()) {
        if (auto pattern = parsePattern(target.filename().string())) {
            const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
            return OutputTarget{OutputKind::Sequence, folder, nullptr, std::move(format), *pattern};
        }
        return OutputTarget{OutputKind::Picture, target, nullptr, std::move(format), {}};
    }
    if (const Container* container = containerFor(target))
        return OutputTarget{OutputKind::Video, target, container, "", {}};
    return fail(
        StatusCode::Unsupported,
        fmt::format("cannot write {}: its ending names no format that can be written; use .mp4, .mov, .mkv, .webm, "
                    ".avi or .gif for a video, .png, .jpg, .webp, .tiff or .exr for a picture, a name such as "
                    "frame.%04d.png or a folder for numbered pictures",
                    quoted(target)));
}

Status refuseOverwritingSource(const OutputTarget& target, const fs::path& source) {
    if (source.empty()) return {};
    std::error_code ignored;
    bool same = false;
    if (target.kind == OutputKind::Sequence) {
        // The source may be named by a pattern, by one of its files or by its folder.
        const bool byFolder = fs::is_directory(source, ignored);
        const fs::path folder = byFolder ? source : source.has_parent_path() ? source.parent_path() : fs::path(".");
        if (!fs::equivalent(folder, target.path, ignored)) return {};
        const NumberPattern theirs = patternOf(source);
        same = byFolder || (theirs.prefix == target.pattern.prefix && theirs.suffix == target.pattern.suffix);
    } else {
        same = fs::equivalent(target.path, source, ignored);
    }
    if (!same) return {};
    return fail(StatusCode::BadInput, fmt::format("the output {} is the input itself ({}); choose another name",
                                                  quoted(target.path), quoted(source)));
}

}  // namespace reelbrush::media
