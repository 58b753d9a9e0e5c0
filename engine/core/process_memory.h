#pragma once

#include <cstddef>

namespace reelbrush {

/// Resident memory of this process now and at its highest, in bytes; 0 where the system does not tell
/// (/proc/self/status).
std::size_t residentBytes();
std::size_t peakResidentBytes();
/// Memory that the system could give without swapping, in bytes: the smaller of /proc/meminfo's MemAvailable and what
/// the cgroup (v2) leaves.
std::size_t availableMemoryBytes();

}  // namespace reelbrush
