#include "engine/core/xdg_folders.h"

#include <cstdlib>
#include <system_error>

namespace reelbrush {

namespace {

std::filesystem::path baseFolder(const char* variable, const char* underHome) {
    if (const char* value = std::getenv(variable); value && value[0] == '/')
        return std::filesystem::path(value) / "reelbrush";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home && *home ? home : "/tmp") / underHome / "reelbrush";
}

}  // namespace

std::filesystem::path configFolder() {
    return baseFolder("XDG_CONFIG_HOME", ".config");
}

std::filesystem::path cacheFolder() {
    return baseFolder("XDG_CACHE_HOME", ".cache");
}

std::filesystem::path dataFolder() {
    return baseFolder("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path resourcesFolder() {
    if (const char* value = std::getenv("REELBRUSH_RESOURCES"); value && *value) return value;
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto installed = program.parent_path().parent_path() / "share" / "reelbrush";
    if (std::filesystem::is_directory(installed, ignored)) return installed;
    return REELBRUSH_BUILD_RESOURCES;
}

}  // namespace reelbrush
