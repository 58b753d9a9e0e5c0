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

/// What comes with the program: where the variable says, else installed with it, else where it was built.
std::filesystem::path ownFile(const char* variable, const char* installedAs, const char* built) {
    if (const char* value = std::getenv(variable); value && *value) return value;
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto installed = program.parent_path().parent_path() / installedAs;
    return std::filesystem::exists(installed, ignored) ? installed : std::filesystem::path(built);
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
    return ownFile("REELBRUSH_RESOURCES", "share/reelbrush", REELBRUSH_BUILD_RESOURCES);
}

std::filesystem::path cudaModuleFile() {
    return ownFile("REELBRUSH_CUDA_MODULE", "lib/reelbrush/libreelbrush_cuda.so", REELBRUSH_BUILD_CUDA_MODULE);
}

}  // namespace reelbrush
