#include "engine/library/model_paths.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <system_error>

namespace reelbrush::library {

namespace fs = std::filesystem;

namespace {

/// "." says nothing to whoever reads the path in a message; ".." may lead through links, and stays.
fs::path withoutDots(const fs::path& path) {
    fs::path plain;
    for (const fs::path& part : path)
        if (part != ".") plain /= part;
    return plain;
}

}  // namespace

Result<std::optional<fs::path>> modelAtPath(const std::string& text) {
    const fs::path path(text);
    std::error_code error, ignored;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status)) {
        if (!fs::is_directory(status) || path.has_parent_path()) return withoutDots(fs::absolute(path, ignored));
        return std::optional<fs::path>();
    }
    if (error == std::errc::permission_denied)
        return fail(StatusCode::Io, fmt::format("{} cannot be reached: {}; ask for permission to enter its folder",
                                                weights::quotedPath(path), error.message()));
    if (text.find("://") != std::string::npos)
        return fail(StatusCode::BadInput,
                    fmt::format("{} is an address; download the file and give its path", weights::quotedName(text)));
    const bool isPathOnly = path.is_absolute() || text.starts_with("./") || text.starts_with("../");
    if (isPathOnly)
        return fail(StatusCode::BadInput, fmt::format("there is no file or folder {}", weights::quotedPath(path)));
    return std::optional<fs::path>();
}

}  // namespace reelbrush::library
