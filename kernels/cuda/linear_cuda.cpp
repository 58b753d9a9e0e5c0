#include "kernels/cuda/linear_cuda.h"

#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/cuda_weights.h"
#include "kernels/cuda/linear_product.h"
#include "kernels/cuda/product_epilogue.h"
#include "kernels/cuda/scratch_layout.h"
#include "kernels/cuda/step_timing.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

/// Multiply-adds and adds below which all algorithms take as long as starting them does.
constexpr double kWorthTiming = 1e6;
constexpr int kMostAlgorithms = 8;

/// The whole of what a node asks for.
struct LinearTask {
    LinearShape shape;  ///< with the node's activation, whether it can be fused or not

    explicit LinearTask(const StepRequest& request, DType type) {
        shape.rows = request.output.rows();
        shape.inputs = request.inputs[0].channels();
        shape.outputs = request.output.channels();
        shape.type = type;
        if (const auto* convolution = std::get_if<Conv2d>(&request.node.op)) {
            shape.hasResidual = convolution->hasResidual;
            shape.activation = convolution->activation;
        } else {
            const auto& linear = std::get<Linear>(request.node.op);
            shape.hasResidual = linear.hasResidual;
            shape.activation = linear.activation;
        }
    }
    double operations() const {
        return 2.0 * static_cast<double>(shape.rows) * static_cast<double>(shape.inputs) *
               static_cast<double>(shape.outputs);
    }
};

class LinearStep final : public CudaStep {
  public:
    /// product computes as much of the task as it can, the step the rest.
    LinearStep(const LinearTask& task, std::shared_ptr<CudaWeights> weights,
               std::shared_ptr<const LinearProduct> product, const LinearAlgorithm& algorithm,
               const CudaContext& context)
        : CudaStep(context),
          task_(task),
          weights_(std::move(weights)),
          product_(std::move(product)),
          algorithm_(algorithm) {
        roomPlace_ = layout_.add(weights_->roomBytes());
        workspacePlace_ = layout_.add(algorithm.workspaceBytes);
    }

    std::size_t scratchBytes() const override { return layout_.totalBytes(); }
    std::size_t weightBytes() const override { return weights_->deviceBytes(); }
    std::size_t hostWeightBytes() const override { return weights_->hostBytes(); }
    StreamedWeight* streamed() const override { return weights_->streamed(); }
    Status loadWeights(const WeightProvider& weights) override { return weights_->reload(weights); }
    double operations() const override { return task_.operations(); }
    std::string algorithm() const override { return isWhole() ? "cublasLt" : "cublasLt + epilogue"; }

    Status run() override {
        const LinearShape &whole = task_.shape, &fused = product_->shape();
        const void* residual = whole.hasResidual ? input<std::byte>(1) : nullptr;
        std::byte* const base = ScratchLayout::base(scratch());
        RB_TRY(weights_->fetch(base + roomPlace_));
        LinearProduct::Operands operands;
        operands.x = input<std::byte>(0);
        operands.weights = weights_->product(base + roomPlace_);
        operands.residual = fused.hasResidual ? residual : nullptr;
        operands.y = output<std::byte>();
        operands.workspace = algorithm_.workspaceBytes > 0 ? base + workspacePlace_ : nullptr;
        RB_TRY(product_->run(operands, algorithm_));
        RB_TRY(weights_->release());
        if (isWhole()) return {};

        ProductEpilogue rest;
        rest.x = rest.y = output<std::byte>();
        rest.bias = fused.hasBias ? nullptr : weights_->bias();
        rest.residual = fused.hasResidual ? nullptr : residual;
        rest.rows = whole.rows;
        rest.channels = rest.pitch = static_cast<int>(whole.outputs);
        rest.activation = fused.activation == whole.activation ? Activation::None : whole.activation;
        return applyEpilogue(rest, whole.type, stream());
    }

  private:
    bool isWhole() const {
        const LinearShape &whole = task_.shape, &fused = product_->shape();
        return whole.hasBias == fused.hasBias && whole.hasResidual == fused.hasResidual &&
               whole.activation == fused.activation;
    }

    LinearTask task_;
    std::shared_ptr<CudaWeights> weights_;
    std::shared_ptr<const LinearProduct> product_;
    LinearAlgorithm algorithm_;
    ScratchLayout layout_;
    std::size_t roomPlace_ = 0, workspacePlace_ = 0;
};

/// A product with as much of the epilogue as the library has algorithms for.
Result<std::shared_ptr<const LinearProduct>> makeProduct(const LinearTask& task, const CudaWeights& weights,
                                                         const CudaContext& context) {
    LinearShape fused = task.shape;
    // What follows an activation that is not fused cannot be fused either, but bias and residual come before it.
    if (!LinearShape::canFuse(fused.activation)) fused.activation = Activation::None;
    RB_ASSIGN(std::shared_ptr<const LinearProduct> product, LinearProduct::create(fused, weights.bias(), context));
    if (product->algorithms(1)) return product;
    fused.hasBias = fused.hasResidual = false;
    fused.activation = Activation::None;
    RB_ASSIGN(product, LinearProduct::create(fused, nullptr, context));
    return product;
}

/// The algorithms to try, the remembered one alone where there is one.
Result<std::vector<LinearAlgorithm>> algorithmsFor(const LinearProduct& product, bool isWorthTiming,
                                                   const AlgorithmCache& known) {
    if (const auto text = known.find(product.shape().key()))
        if (const auto algorithm = product.algorithmOf(*text)) return std::vector{*algorithm};
    return product.algorithms(isWorthTiming ? kMostAlgorithms : 1);
}

}  // namespace

Result<std::unique_ptr<Step>> makeLinearStep(const StepRequest& request, const CudaContext& context) {
    LinearTask task(request, context.valueType);
    RB_ASSIGN(const std::shared_ptr<CudaWeights> weights, CudaWeights::load(request, context, {}));
    task.shape.hasBias = weights->hasBias();
    RB_ASSIGN(const std::shared_ptr<const LinearProduct> product, makeProduct(task, *weights, context));
    RB_ASSIGN(const std::vector<LinearAlgorithm> algorithms,
              algorithmsFor(*product, task.operations() >= kWorthTiming, *context.algorithms));
    std::vector<std::unique_ptr<Step>> steps;
    for (const LinearAlgorithm& algorithm : algorithms)
        steps.push_back(std::make_unique<LinearStep>(task, weights, product, algorithm, context));
    const WithoutWeights whileTiming(*weights);
    RB_ASSIGN(const std::size_t fastest, fastestStep(steps, request, context));
    if (steps.size() > 1)
        context.algorithms->remember(product->shape().key(), LinearProduct::textOf(algorithms[fastest]));
    return std::move(steps[fastest]);
}

}  // namespace reelbrush::kernels
