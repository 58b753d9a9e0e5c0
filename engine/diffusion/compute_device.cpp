#include "engine/diffusion/compute_device.h"

#include <fmt/format.h>

#include <charconv>

namespace reelbrush::diffusion {

Result<ComputeDevice> ComputeDevice::parse(std::string_view text) {
    if (text == "auto") return ComputeDevice{};
    if (text == "cpu") return ComputeDevice{Kind::Cpu, 0};
    if (text == "cuda") return ComputeDevice{Kind::Cuda, 0};
    constexpr std::string_view kNumbered = "cuda:";
    ComputeDevice device{Kind::Cuda, 0};
    if (text.starts_with(kNumbered)) {
        const char* last = text.data() + text.size();
        const auto read = std::from_chars(text.data() + kNumbered.size(), last, device.index);
        if (read.ec == std::errc() && read.ptr == last && device.index >= 0) return device;
    }
    return fail(StatusCode::BadInput,
                fmt::format("a device is written auto, cpu, cuda or cuda:NUMBER, and '{}' is not", text));
}

}  // namespace reelbrush::diffusion
