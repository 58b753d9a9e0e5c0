#pragma once

#include "kernels/cuda/convolution_graph.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// Where a convolution reads and writes. bias and residual: null where the shape has none.
struct ConvolutionOperands {
    const void* x = nullptr;
    const void* weights = nullptr;
    const void* bias = nullptr;
    const void* residual = nullptr;
    void* y = nullptr;
    void* workspace = nullptr;
};

/// A convolution with one of cuDNN's engines chosen and its kernels built. Holds no memory of a layer, so that layers
/// that are alike share it. Thread: one at a time.
class ConvolutionPlan {
  public:
    /// Work space that an engine may have.
    static constexpr std::size_t kMostWorkspaceBytes = std::size_t{64} << 20;

    /// engine: one of proposedEngines. Errors: Unsupported where it cannot do this, or not exactly enough.
    static Result<std::shared_ptr<const ConvolutionPlan>> build(std::shared_ptr<const ConvolutionGraph> graph,
                                                                CudnnDescriptor engine, const CudaContext& context);

    const ConvolutionShape& shape() const { return graph_->shape(); }
    std::size_t workspaceBytes() const { return workspaceBytes_; }

    /// The addresses as cuDNN takes them. Errors: Internal.
    Result<CudnnDescriptor> bind(const ConvolutionOperands& operands) const;
    /// Queues it on the context's stream.
    Status run(const CudnnDescriptor& bound) const;

  private:
    ConvolutionPlan(std::shared_ptr<const ConvolutionGraph> graph, CudnnDescriptor engine, const CudaContext& context)
        : graph_(std::move(graph)), engine_(std::move(engine)), context_(context) {}

    std::shared_ptr<const ConvolutionGraph> graph_;
    CudnnDescriptor engine_;
    CudnnDescriptor plan_{CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR};
    const CudaContext& context_;
    std::size_t workspaceBytes_ = 0;
};

/// The engines that cuDNN proposes for a graph, those likely to be fastest first; always the same for one machine.
/// mode: CUDNN_HEUR_MODE_A, _B, or _FALLBACK for those that take almost anything.
Result<std::vector<CudnnDescriptor>> proposedEngines(const ConvolutionGraph& graph, cudnnBackendHeurMode_t mode);

}  // namespace reelbrush::kernels
