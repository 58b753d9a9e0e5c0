#include "kernels/cpu/linear_problem.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

namespace {

WeightRows weightRowsOf(const StepRequest& request) {
    if (const auto* convolution = std::get_if<Conv2d>(&request.node.op))
        return WeightRows(*convolution, request.node, request.inputs[0].channels());
    return WeightRows(std::get<Linear>(request.node.op), request.node, request.inputs[0].channels());
}

}  // namespace

LinearProblem::LinearProblem(const StepRequest& request, int threadCount, std::shared_ptr<MemoryBudget> weightBudget)
    : rows(request.output.rows()),
      inFeatures(request.inputs[0].channels()),
      outFeatures(request.output.channels()),
      weights(weightRowsOf(request)),
      threads(threadCount),
      budget(std::move(weightBudget)) {
    if (const auto* convolution = std::get_if<Conv2d>(&request.node.op)) {
        hasResidual = convolution->hasResidual;
        activation = convolution->activation;
    } else {
        const auto& linear = std::get<Linear>(request.node.op);
        hasResidual = linear.hasResidual;
        activation = linear.activation;
    }
}

double LinearProblem::operations() const {
    return 2.0 * static_cast<double>(rows * inFeatures * outFeatures);
}

std::string LinearProblem::key() const {
    return fmt::format("linear {} rows {} to {} bias {} residual {} activation {}", rows, inFeatures, outFeatures,
                       weights.hasBias() ? 1 : 0, hasResidual ? 1 : 0, static_cast<int>(activation));
}

dnnl::memory::desc LinearProblem::storedWeightDesc(dnnl::memory::data_type type) const {
    return {{inFeatures, outFeatures}, type, dnnl::memory::format_tag::ba};
}

bool isLinear(const Conv2d& op) {
    return op.kernelHeight == 1 && op.kernelWidth == 1 && op.stride == 1 && op.padTop == 0 && op.padLeft == 0 &&
           op.padBottom == 0 && op.padRight == 0;
}

}  // namespace reelbrush::kernels
