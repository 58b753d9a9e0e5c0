#include "kernels/cpu/conv2d_problem.h"

#include "kernels/cpu/parallel_for.h"

#include <fmt/format.h>

#include <cstring>

namespace reelbrush::kernels {

Conv2dProblem::Conv2dProblem(const StepRequest& request, int threadCount, std::shared_ptr<MemoryBudget> weightBudget)
    : op(std::get<Conv2d>(request.node.op)),
      batch(request.output[0]),
      inHeight(request.inputs[0][1]),
      inWidth(request.inputs[0][2]),
      inChannels(request.inputs[0][3]),
      outHeight(request.output[1]),
      outWidth(request.output[2]),
      weights(op, request.node, inChannels),
      threads(threadCount),
      budget(std::move(weightBudget)) {}

double Conv2dProblem::operations() const {
    return 2.0 * static_cast<double>(batch * outputElements() * inChannels) * op.kernelHeight * op.kernelWidth;
}

std::string Conv2dProblem::key() const {
    return fmt::format("conv2d {}x{}x{} to {} kernel {}x{} stride {} pad {},{},{},{} bias {} residual {} activation {}",
                       inHeight, inWidth, inChannels, op.outChannels, op.kernelHeight, op.kernelWidth, op.stride,
                       op.padTop, op.padLeft, op.padBottom, op.padRight, weights.hasBias() ? 1 : 0,
                       op.hasResidual ? 1 : 0, static_cast<int>(op.activation));
}

dnnl::memory::desc Conv2dProblem::storedWeightDesc(dnnl::memory::data_type type) const {
    return {weightDims(), type, dnnl::memory::format_tag::oihw};
}

dnnl::memory::desc Conv2dProblem::biasDesc() const {
    return {{op.outChannels}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::x};
}

dnnl::convolution_forward::primitive_desc Conv2dProblem::describe(dnnl::algorithm algorithm, const Layouts& layouts,
                                                                  const dnnl::primitive_attr& attr) const {
    const dnnl::memory::dims strides{op.stride, op.stride};
    const dnnl::memory::dims before{op.padTop, op.padLeft}, after{op.padBottom, op.padRight};
    using Desc = dnnl::convolution_forward::desc;
    const auto inference = dnnl::prop_kind::forward_inference;
    const Desc desc = layouts.hasBias ? Desc(inference, algorithm, layouts.source, layouts.weights, biasDesc(),
                                             layouts.destination, strides, before, after)
                                      : Desc(inference, algorithm, layouts.source, layouts.weights, layouts.destination,
                                             strides, before, after);
    return {desc, attr, onednn.engine};
}

void placeResidual(const float* residual, float* output, std::int64_t elements, int threads) {
    if (residual == output) return;
    constexpr std::int64_t kGrain = 16384;
    parallelFor(threads, elements, kGrain, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(output + begin, residual + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
    });
}

}  // namespace reelbrush::kernels
