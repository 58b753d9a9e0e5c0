#include "tests/architecture/source_tree.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>

namespace reelbrush::architecture {

namespace fs = std::filesystem;

namespace {

struct PipeCloser {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
};

std::string quotedForShell(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// The paths that git tracks; empty where there is no git or no repository. A checkout may belong to somebody else
/// (a container's volume), which git only accepts when told.
std::vector<std::string> gitPaths(const fs::path& root) {
    const std::string command =
        "git -c safe.directory='*' -C " + quotedForShell(root.string()) + " ls-files -z 2>/dev/null";
    const std::unique_ptr<std::FILE, PipeCloser> pipe(popen(command.c_str(), "r"));
    std::string listed;
    std::array<char, 4096> block;
    while (pipe) {
        const std::size_t got = std::fread(block.data(), 1, block.size(), pipe.get());
        if (got == 0) break;
        listed.append(block.data(), got);
    }
    std::vector<std::string> paths;
    std::istringstream entries(listed);
    for (std::string path; std::getline(entries, path, '\0');) paths.push_back(path);
    return paths;
}

std::vector<std::string> walkedPaths(const fs::path& root) {
    const std::set<std::string> kNotCloned = {".git", "build", "local", ".cache"};
    std::vector<std::string> paths;
    for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
        if (entry.depth() == 0 && kNotCloned.count(entry->path().filename().string()) > 0)
            entry.disable_recursion_pending();
        else if (entry->is_regular_file())
            paths.push_back(entry->path().lexically_relative(root).generic_string());
    }
    return paths;
}

}  // namespace

std::vector<SourceFile> readSources(const fs::path& root) {
    const std::set<std::string> kSourceEndings = {".h", ".hpp", ".inl", ".cpp", ".cc", ".cu", ".cuh"};
    std::vector<SourceFile> sources;
    for (const char* top : {"app", "ui", "engine", "kernels"}) {
        if (!fs::is_directory(root / top)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
            if (!entry.is_regular_file() || kSourceEndings.count(entry.path().extension().string()) == 0) continue;
            std::ifstream file(entry.path(), std::ios::binary);
            sources.push_back({entry.path().lexically_relative(root).generic_string(),
                               std::string(std::istreambuf_iterator<char>(file), {})});
        }
    }
    return sources;
}

std::vector<TrackedFile> trackedFiles(const fs::path& root) {
    auto paths = gitPaths(root);
    if (paths.empty()) paths = walkedPaths(root);
    std::vector<TrackedFile> files;
    for (const std::string& path : paths) {
        std::error_code missing;
        const auto sizeBytes = fs::file_size(root / path, missing);
        if (!missing) files.push_back({path, sizeBytes});
    }
    return files;
}

}  // namespace reelbrush::architecture
