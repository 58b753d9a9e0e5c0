#include "kernels/cuda/cuda_ops.h"

#include "kernels/cuda/activation_cuda.h"
#include "kernels/cuda/arrange_cuda.h"
#include "kernels/cuda/attention_cuda.h"
#include "kernels/cuda/conv2d_cuda.h"
#include "kernels/cuda/elementwise_cuda.h"
#include "kernels/cuda/geglu_cuda.h"
#include "kernels/cuda/group_norm_cuda.h"
#include "kernels/cuda/layer_norm_cuda.h"
#include "kernels/cuda/linear_cuda.h"
#include "kernels/cuda/resample_cuda.h"
#include "kernels/cuda/timestep_embedding_cuda.h"

#include <type_traits>
#include <variant>

namespace reelbrush::kernels {

namespace {

template <typename T, typename... Others>
constexpr bool isAnyOf = (std::is_same_v<T, Others> || ...);

/// One overload for each op.
struct MakeStep {
    const StepRequest& request;
    const CudaContext& context;

    Result<std::unique_ptr<Step>> operator()(const ActivationOp&) const { return makeActivationStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Attention&) const { return makeAttentionStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Conv2d&) const { return makeConv2dStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Linear&) const { return makeLinearStep(request, context); }

    Result<std::unique_ptr<Step>> operator()(const GroupNorm&) const { return makeGroupNormStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const LayerNorm&) const { return makeLayerNormStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Geglu&) const { return makeGegluStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const TimestepEmbedding&) const {
        return makeTimestepEmbeddingStep(request, context);
    }
    Result<std::unique_ptr<Step>> operator()(const SwapAxes&) const { return makeSwapAxesStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Constant&) const { return makeConstantStep(request, context); }
    Result<std::unique_ptr<Step>> operator()(const Reshape&) const {
        return fail(StatusCode::Internal, "a reshape shares its input's memory and is never computed");
    }

    template <typename Other>
    Result<std::unique_ptr<Step>> operator()(const Other&) const {
        if constexpr (isAnyOf<Other, Add, AddChannels, Affine, ScaleBy, SoftClamp>)
            return makeElementwiseStep(request, context);
        else if constexpr (isAnyOf<Other, UpsampleNearest, PixelUnshuffle, PixelShuffle>)
            return makeResampleStep(request, context);
        else
            return makeJoinStep(request, context);
    }
};

}  // namespace

Result<std::unique_ptr<Step>> makeCudaStep(const StepRequest& request, const CudaContext& context) {
    return std::visit(MakeStep{request, context}, request.node.op);
}

}  // namespace reelbrush::kernels
