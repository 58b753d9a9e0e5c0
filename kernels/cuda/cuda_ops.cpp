#include "kernels/cuda/cuda_ops.h"

#include "kernels/cuda/activation_cuda.h"
#include "kernels/cuda/attention_cuda.h"
#include "kernels/cuda/conv2d_cuda.h"
#include "kernels/cuda/linear_cuda.h"

#include <fmt/format.h>

#include <variant>

namespace reelbrush::kernels {

namespace {

/// One overload for each op.
struct MakeStep {
    const StepRequest& request;
    const CudaContext& context;

    Result<std::unique_ptr<Step>> operator()(const ActivationOp&) const { return makeActivationStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Attention&) const { return makeAttentionStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Conv2d&) const { return makeConv2dStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Linear&) const { return makeLinearStep(request, context); }

    template <typename Other>
    Result<std::unique_ptr<Step>> operator()(const Other&) const {
        return fail(StatusCode::Unsupported,
                    fmt::format("'{}' is not computed on CUDA devices", nameOf(request.node.op)));
    }
};

}  // namespace

Result<std::unique_ptr<Step>> makeCudaStep(const StepRequest& request, const CudaContext& context) {
    return std::visit(MakeStep{request, context}, request.node.op);
}

}  // namespace reelbrush::kernels
