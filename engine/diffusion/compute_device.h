#pragma once

#include "engine/core/status.h"

#include <string>
#include <string_view>

namespace reelbrush::diffusion {

/// Where a model is computed.
struct ComputeDevice {
    enum class Kind {
        Auto,  ///< a GPU where one can be used, else the processor
        Cpu,
        Cuda
    };
    Kind kind = Kind::Auto;
    int index = 0;  ///< of several GPUs, counted from 0

    /// "auto", "cpu", "cuda", "cuda:1". Errors: BadInput, with what there is.
    static Result<ComputeDevice> parse(std::string_view text);
    bool operator==(const ComputeDevice&) const = default;
};

}  // namespace reelbrush::diffusion
