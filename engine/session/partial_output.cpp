#include "engine/session/partial_output.h"

#include <unistd.h>

#include <string>
#include <system_error>
#include <vector>

namespace reelbrush::session {

namespace {

namespace fs = std::filesystem;

/// As media names what it has not finished: ".clip.part-4711.mp4".
bool isPartial(const std::string& name) {
    const std::string mark = ".part-" + std::to_string(getpid());
    const std::size_t found = name.rfind(mark);
    if (name.empty() || name.front() != '.' || found == std::string::npos) return false;
    const char next = name[found + mark.size()];  // of a string, the place behind the end is a null character
    return next == '\0' || next == '.' || next == '-';
}

}  // namespace

void removePartialOutput(const fs::path& output) {
    std::error_code ignored;
    const fs::path target = fs::is_symlink(output, ignored) ? fs::weakly_canonical(output, ignored) : output;
    const fs::path file = target.has_filename() ? target : target.parent_path();
    // A sequence gathers inside its folder where that exists, else beside it.
    for (const fs::path& folder : {file.has_parent_path() ? file.parent_path() : fs::path("."), file}) {
        std::vector<fs::path> partial;
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
            if (isPartial(entry->path().filename().string())) partial.push_back(entry->path());
        for (const fs::path& path : partial) fs::remove_all(path, ignored);
    }
}

}  // namespace reelbrush::session
