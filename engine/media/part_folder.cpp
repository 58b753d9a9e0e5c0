#include "engine/media/part_folder.h"

#include "engine/media/ffmpeg_error.h"
#include "engine/media/part_file.h"

#include <fmt/format.h>

#include <system_error>

namespace reelbrush::media {

namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 100;

}  // namespace

Result<std::unique_ptr<PartFolder>> PartFolder::create(const fs::path& target, bool mayCreate) {
    std::error_code error;
    // Inside the target where that exists: it may be a disk of its own, to which nothing outside can be renamed.
    const bool exists = fs::is_directory(target, error);
    const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const fs::path home = exists || !mayCreate ? target : parent;
    if (!fs::is_directory(home, error)) {
        return fail(StatusCode::Io, fmt::format("cannot write into {}: there is no folder {}; create it first",
                                                quoted(target), quoted(home)));
    }
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const fs::path temporary = partName(home, target.filename(), attempt);
        if (fs::create_directory(temporary, error)) {
            return std::unique_ptr<PartFolder>(new PartFolder(target, temporary));
        }
        if (error) break;
    }
    return fail(StatusCode::Io,
                fmt::format("cannot write into the folder {}: {}; choose another folder or change its permissions",
                            quoted(home), error.message()));
}

PartFolder::PartFolder(fs::path target, fs::path temporary)
    : target_(std::move(target)), temporary_(std::move(temporary)) {}

PartFolder::~PartFolder() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
}

fs::path PartFolder::pathFor(const std::string& name) {
    names_.push_back(name);
    return temporary_ / name;
}

Status PartFolder::commit() {
    std::error_code error;
    fs::create_directory(target_, error);
    if (error) {
        return fail(StatusCode::Io, fmt::format("cannot create the folder {}: {}", quoted(target_), error.message()));
    }
    for (const std::string& name : names_) {
        fs::rename(temporary_ / name, target_ / name, error);
        if (error) {
            return fail(StatusCode::Io, fmt::format("cannot write {}: {}", quoted(target_ / name), error.message()));
        }
    }
    syncFolder(target_);
    return {};
}

}  // namespace reelbrush::media
