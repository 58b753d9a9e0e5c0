#include "engine/core/process_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace reelbrush {

namespace {

/// The value of a "Name:   123 kB" line, in bytes.
std::size_t kibField(const char* path, const std::string& name) {
    std::ifstream file(path);
    std::string word;
    while (file >> word) {
        if (word == name) {
            std::size_t kib = 0;
            file >> kib;
            return kib * 1024;
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

std::size_t numberIn(const char* path, std::size_t otherwise) {
    std::ifstream file(path);
    std::size_t value = 0;
    return file >> value ? value : otherwise;
}

}  // namespace

std::size_t residentBytes() {
    return kibField("/proc/self/status", "VmRSS:");
}

std::size_t peakResidentBytes() {
    return kibField("/proc/self/status", "VmHWM:");
}

std::size_t availableMemoryBytes() {
    constexpr auto kUnlimited = std::numeric_limits<std::size_t>::max();
    const std::size_t available = kibField("/proc/meminfo", "MemAvailable:");
    const std::size_t limit = numberIn("/sys/fs/cgroup/memory.max", kUnlimited);
    const std::size_t used = numberIn("/sys/fs/cgroup/memory.current", 0);
    return limit == kUnlimited ? available : std::min(available, limit > used ? limit - used : 0);
}

}  // namespace reelbrush
