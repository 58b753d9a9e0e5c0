#include "kernels/cpu/scheduler_delay.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace reelbrush::kernels {

double schedulerDelaySeconds() {
    std::uint64_t total = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
         task.increment(error)) {
        // Nanoseconds on a processor, nanoseconds waiting for one, time slices.
        std::uint64_t running = 0, waiting = 0;
        if (std::ifstream(task->path() / "schedstat") >> running >> waiting) total += waiting;
    }
    return static_cast<double>(total) * 1e-9;
}

}  // namespace reelbrush::kernels
