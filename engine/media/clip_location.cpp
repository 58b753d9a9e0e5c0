#include "engine/media/clip_location.h"

#include "engine/media/ffmpeg_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace reelbrush::media {

namespace {

namespace fs = std::filesystem;

Status checkReadable(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        const std::string reason = std::generic_category().message(errno);
        return fail(StatusCode::Io, fmt::format("cannot read {}: {}", quoted(path), reason));
    }
    ::close(file);
    return {};
}

}  // namespace

Result<ClipLocation> locateClip(const fs::path& path) {
    if (path.empty()) return fail(StatusCode::BadInput, "no file was named");
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) {
        if (!isNumberPattern(path.filename().string()))
            return fail(StatusCode::Io, fmt::format("{} does not exist", quoted(path)));
        RB_ASSIGN(NumberedPictures pictures, findByPattern(path));
        return ClipLocation{path, std::move(pictures)};
    }
    if (error) return fail(StatusCode::Io, fmt::format("cannot read {}: {}", quoted(path), error.message()));
    if (status.type() == fs::file_type::directory) {
        RB_ASSIGN(NumberedPictures pictures, findInFolder(path));
        return ClipLocation{path, std::move(pictures)};
    }
    if (status.type() != fs::file_type::regular)
        return fail(StatusCode::Io,
                    fmt::format("{} is not a regular file; copy its content to one first", quoted(path)));
    RB_TRY(checkReadable(path));
    if (fs::file_size(path, error) == 0 && !error)
        return fail(StatusCode::BadInput, fmt::format("{} is empty (0 bytes)", quoted(path)));
    return ClipLocation{path, std::nullopt};
}

}  // namespace reelbrush::media
