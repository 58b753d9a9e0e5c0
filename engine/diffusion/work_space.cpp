#include "engine/diffusion/work_space.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

Result<kernels::Buffer> allocateWorkSpace(const PainterMemory& memory, const PainterOptions& options) {
    constexpr double kMebibyte = 1048576.0;
    const std::size_t total = memory.arenaBytes + memory.weightBytes;
    if (options.ramBytes != 0 && total > options.ramBytes)
        return fail(StatusCode::OutOfMemory,
                    fmt::format("painting at {}x{} needs {:.0f} MiB ({:.0f} MiB of weights, {:.0f} MiB of work space), "
                                "but only {:.0f} MiB are allowed; allow more or paint smaller",
                                options.width, options.height, static_cast<double>(total) / kMebibyte,
                                static_cast<double>(memory.weightBytes) / kMebibyte,
                                static_cast<double>(memory.arenaBytes) / kMebibyte,
                                static_cast<double>(options.ramBytes) / kMebibyte));
    return kernels::Buffer::allocate(memory.arenaBytes, nullptr, "the painter's work space");
}

}  // namespace reelbrush::diffusion
