#include "kernels/cpu/trial_rows.h"

#include <algorithm>

namespace reelbrush::kernels {

std::optional<TrialRows> TrialRows::of(const StepRequest& request) {
    constexpr std::int64_t kMostFloats = std::int64_t{16} << 20, kFewest = 16;
    const auto& op = std::get<Conv2d>(request.node.op);
    const Shape &input = request.inputs[0], &output = request.output;
    const std::int64_t samples = output[0], height = output[1];
    const std::int64_t floats = (input.elements() + output.elements()) / samples;
    // A multiple of what bands of rows would have, so that none is left over.
    const std::int64_t rows = std::max(kFewest, height * kMostFloats / floats / kFewest * kFewest);
    if (rows >= height) return std::nullopt;

    TrialRows part;
    part.output_ = {1, rows, output[2], output.channels()};
    const std::int64_t inRows = (rows - 1) * op.stride + op.kernelHeight - op.padTop - op.padBottom;
    part.inputs_ = {Shape{1, inRows, input[2], input.channels()}};
    if (op.hasResidual) part.inputs_.push_back(part.output_);
    return part;
}

}  // namespace reelbrush::kernels
