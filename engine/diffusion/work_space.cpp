#include "engine/diffusion/work_space.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

Result<std::unique_ptr<kernels::DeviceMemory>> allocateWorkSpace(const PainterMemory& memory,
                                                                 const PainterOptions& options,
                                                                 kernels::Backend& backend) {
    constexpr double kMebibyte = 1048576.0;
    const std::size_t total = memory.arenaBytes + memory.weightBytes;
    const std::size_t allowed = memory.onDevice ? options.vramBytes : options.ramBytes;
    if (allowed != 0 && total > allowed)
        return fail(
            StatusCode::OutOfMemory,
            fmt::format("painting at {}x{} needs {:.0f} MiB ({:.0f} MiB of weights, {:.0f} MiB of work space), "
                        "but only {:.0f} MiB are allowed; allow more or paint smaller",
                        options.width, options.height, static_cast<double>(total) / kMebibyte,
                        static_cast<double>(memory.weightBytes) / kMebibyte,
                        static_cast<double>(memory.arenaBytes) / kMebibyte, static_cast<double>(allowed) / kMebibyte));
    return backend.allocateArena(memory.arenaBytes);
}

}  // namespace reelbrush::diffusion
