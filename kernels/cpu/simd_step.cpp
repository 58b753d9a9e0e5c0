#include "kernels/cpu/simd_step.h"

#include "kernels/cpu/activation_cpu.h"
#include "kernels/cpu/arrange_cpu.h"
#include "kernels/cpu/attention_cpu.h"
#include "kernels/cpu/elementwise_cpu.h"
#include "kernels/cpu/geglu_cpu.h"
#include "kernels/cpu/group_norm_cpu.h"
#include "kernels/cpu/layer_norm_cpu.h"
#include "kernels/cpu/pixel_shuffle_cpu.h"
#include "kernels/cpu/resample_cpu.h"
#include "kernels/cpu/simd_limit.h"
#include "kernels/cpu/timestep_embedding_cpu.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

namespace {

using Made = Result<std::unique_ptr<Step>>;

struct Maker {
    const StepRequest& request;
    int threads;

    Made operator()(const ActivationOp&) const { return makeActivationStep(request, threads); }
    Made operator()(const GroupNorm&) const { return makeGroupNormStep(request, threads); }
    Made operator()(const LayerNorm&) const { return makeLayerNormStep(request, threads); }
    Made operator()(const Attention&) const { return makeAttentionStep(request, threads); }
    Made operator()(const Geglu&) const { return makeGegluStep(request, threads); }
    Made operator()(const UpsampleNearest&) const { return makeUpsampleNearestStep(request, threads); }
    Made operator()(const PixelUnshuffle&) const { return makePixelUnshuffleStep(request, threads); }
    Made operator()(const PixelShuffle&) const { return makePixelShuffleStep(request, threads); }
    Made operator()(const Add&) const { return makeAddStep(request, threads); }
    Made operator()(const AddChannels&) const { return makeAddChannelsStep(request, threads); }
    Made operator()(const Affine&) const { return makeAffineStep(request, threads); }
    Made operator()(const ScaleBy&) const { return makeScaleByStep(request, threads); }
    Made operator()(const SoftClamp&) const { return makeSoftClampStep(request, threads); }
    Made operator()(const ConcatChannels&) const { return makeConcatChannelsStep(request, threads); }
    Made operator()(const ConcatTokens&) const { return makeConcatTokensStep(request, threads); }
    Made operator()(const RepeatBatch&) const { return makeRepeatBatchStep(request, threads); }
    Made operator()(const SliceBatch&) const { return makeSliceBatchStep(request, threads); }
    Made operator()(const ConcatBatch&) const { return makeConcatBatchStep(request, threads); }
    Made operator()(const SwapAxes&) const { return makeSwapAxesStep(request, threads); }
    Made operator()(const Constant&) const { return makeConstantStep(request); }
    Made operator()(const TimestepEmbedding&) const { return makeTimestepEmbeddingStep(request); }
    Made operator()(const Conv2d&) const { return refuse(StatusCode::Unsupported); }
    Made operator()(const Linear&) const { return refuse(StatusCode::Unsupported); }
    Made operator()(const Reshape&) const { return refuse(StatusCode::Internal); }

    Made refuse(StatusCode code) const {
        return fail(code, fmt::format("The layer '{}' is a {}, for which there is no vector code of our own.",
                                      request.node.name, nameOf(request.node.op)));
    }
};

}  // namespace

Result<std::unique_ptr<Step>> makeSimdStep(const StepRequest& request, int threads) {
    applySimdLimitFromEnvironment();
    return std::visit(Maker{request, threads}, request.node.op);
}

}  // namespace reelbrush::kernels
