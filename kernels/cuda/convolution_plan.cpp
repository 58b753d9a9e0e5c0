#include "kernels/cuda/convolution_plan.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace reelbrush::kernels {

namespace {

bool isTooInexact(DType type, cudnnBackendNumericalNote_t note) {
    switch (note) {
        case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
        case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
        case CUDNN_NUMERICAL_NOTE_FFT:
            return true;
        // Of f32 values tensor cores would drop digits (TF32), and Winograd's transforms lose some.
        case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
        case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
        case CUDNN_NUMERICAL_NOTE_WINOGRAD:
            return type == DType::F32;
        case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
        case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13:
            return true;
        default:
            return false;
    }
}

/// Success where an engine gives the same, exact enough values every time.
Status checkExactness(const CudnnDescriptor& configuration, DType type) {
    RB_ASSIGN(const auto engines,
              configuration.descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR));
    RB_ENSURE(!engines.empty(), "a configuration without an engine");
    RB_ASSIGN(const auto notes, engines.front().numericalNotes(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE));
    if (std::ranges::any_of(notes, [type](auto note) { return isTooInexact(type, note); }))
        return fail(StatusCode::Unsupported, "an engine of cuDNN is not exact enough");
    return {};
}

}  // namespace

Result<std::shared_ptr<const ConvolutionPlan>> ConvolutionPlan::build(std::shared_ptr<const ConvolutionGraph> graph,
                                                                      CudnnDescriptor engine,
                                                                      const CudaContext& context) {
    RB_TRY(checkExactness(engine, graph->shape().type));
    std::shared_ptr<ConvolutionPlan> plan(new ConvolutionPlan(std::move(graph), std::move(engine), context));
    plan->plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, context.cudnn)
        .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, plan->engine_);
    RB_TRY(plan->plan_.finalize("building a convolution"));
    RB_ASSIGN(const auto workspace, plan->plan_.numbers(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 1));
    plan->workspaceBytes_ = workspace.empty() ? 0 : static_cast<std::size_t>(workspace.front());
    if (plan->workspaceBytes_ > kMostWorkspaceBytes)
        return fail(StatusCode::Unsupported, "an engine of cuDNN needs too much memory");
    return std::shared_ptr<const ConvolutionPlan>(std::move(plan));
}

Result<CudnnDescriptor> ConvolutionPlan::bind(const ConvolutionOperands& operands) const {
    const ConvolutionShape& shape = graph_->shape();
    std::vector<std::int64_t> ids;
    std::vector<void*> addresses;
    const auto add = [&](ConvolutionTensor id, const void* address) {
        ids.push_back(static_cast<std::int64_t>(id));
        addresses.push_back(const_cast<void*>(address));
    };
    add(ConvolutionTensor::X, operands.x);
    add(ConvolutionTensor::Weights, operands.weights);
    if (shape.hasBias) add(ConvolutionTensor::Bias, operands.bias);
    if (shape.hasResidual) add(ConvolutionTensor::Residual, operands.residual);
    add(ConvolutionTensor::Y, operands.y);
    const std::array<void*, 1> workspace{operands.workspace};

    CudnnDescriptor bound(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    bound.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, std::span<const std::int64_t>(ids))
        .setPointers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, addresses)
        .setPointers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
    RB_TRY(bound.finalize("telling cuDNN where a convolution's values are"));
    return bound;
}

Status ConvolutionPlan::run(const CudnnDescriptor& bound) const {
    return cudnnResult(cudnnBackendExecute(context_.cudnn, plan_.get(), bound.get()), "a convolution");
}

Result<std::vector<CudnnDescriptor>> proposedEngines(const ConvolutionGraph& graph, cudnnBackendHeurMode_t mode) {
    CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.operations()).set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
    RB_TRY(heuristics.finalize("choosing a convolution"));
    return heuristics.descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
}

}  // namespace reelbrush::kernels
