#include "kernels/cuda/conv2d_cuda.h"

#include "kernels/cuda/conv2d_direct.h"
#include "kernels/cuda/convolution_plans.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/cuda_weights.h"
#include "kernels/cuda/linear_cuda.h"
#include "kernels/cuda/pad_channels.h"
#include "kernels/cuda/product_epilogue.h"
#include "kernels/cuda/scratch_layout.h"
#include "kernels/cuda/step_timing.h"

#include <optional>
#include <utility>

namespace reelbrush::kernels {

namespace {

/// Multiply-adds and adds below which all engines take as long as starting them does.
constexpr double kWorthTiming = 2e7;
constexpr std::size_t kMostPlans = 6;  ///< of each kind

/// True for convolutions that look at one pixel only.
bool isPointwise(const Conv2d& op) {
    return op.kernelHeight == 1 && op.kernelWidth == 1 && op.stride == 1 && op.padTop == 0 && op.padLeft == 0 &&
           op.padBottom == 0 && op.padRight == 0;
}

/// A node and how its channels are padded: tensor cores want whole groups of 16 bytes.
struct Conv2dTask {
    ConvolutionShape shape;  ///< channels padded; with the whole epilogue
    std::int64_t inputs = 0, outputs = 0;

    Conv2dTask(const StepRequest& request, DType type)
        : inputs(request.inputs[0].channels()), outputs(request.output.channels()) {
        const auto& op = std::get<Conv2d>(request.node.op);
        const Shape &in = request.inputs[0], &out = request.output;
        shape.batch = in[0], shape.height = in[1], shape.width = in[2];
        shape.inputs = paddedChannels(inputs, type);
        shape.outHeight = out[1], shape.outWidth = out[2];
        shape.outputs = paddedChannels(outputs, type);
        shape.kernelHeight = op.kernelHeight, shape.kernelWidth = op.kernelWidth, shape.stride = op.stride;
        shape.padTop = op.padTop, shape.padLeft = op.padLeft;
        shape.padBottom = op.padBottom, shape.padRight = op.padRight;
        shape.type = type;
        shape.hasResidual = op.hasResidual;
        shape.activation = op.activation;
    }
    bool padsInputs() const { return shape.inputs != inputs; }
    bool padsOutputs() const { return shape.outputs != outputs; }
    std::int64_t outRows() const { return shape.batch * shape.outHeight * shape.outWidth; }
    /// What cuDNN is asked for: padded results must become narrow afterwards, where the epilogue may as well be.
    ConvolutionShape askedFor() const { return padsOutputs() ? shape.withoutEpilogue() : shape; }
    double operations() const {
        return 2.0 * static_cast<double>(outRows() * outputs) *
               static_cast<double>(inputs * shape.kernelHeight * shape.kernelWidth);
    }
};

class Conv2dStep final : public CudaStep {
  public:
    /// plan: null computes without cuDNN.
    Conv2dStep(const Conv2dTask& task, std::shared_ptr<CudaWeights> weights, NamedPlan plan, const CudaContext& context)
        : CudaStep(context), task_(task), weights_(std::move(weights)), plan_(std::move(plan)) {
        const auto size = static_cast<std::int64_t>(sizeOf(task.shape.type));
        const ConvolutionShape& shape = task.shape;
        if (task.padsInputs())
            paddedPlace_ =
                layout_.add(static_cast<std::size_t>(shape.batch * shape.height * shape.width * shape.inputs * size));
        if (task.padsOutputs() && plan_.plan)
            widePlace_ = layout_.add(static_cast<std::size_t>(task.outRows() * shape.outputs * size));
        roomPlace_ = layout_.add(weights_->roomBytes());
        if (plan_.plan) workspacePlace_ = layout_.add(plan_.plan->workspaceBytes());
    }

    std::size_t scratchBytes() const override { return layout_.totalBytes(); }
    std::size_t weightBytes() const override { return weights_->deviceBytes(); }
    std::size_t hostWeightBytes() const override { return weights_->hostBytes(); }
    StreamedWeight* streamed() const override { return weights_->streamed(); }
    Status loadWeights(const WeightProvider& weights) override { return weights_->reload(weights); }
    double operations() const override { return task_.operations(); }
    std::string algorithm() const override {
        if (!plan_.plan) return "direct";
        return hasOwnEpilogue() ? plan_.name + " + epilogue" : plan_.name;
    }

    void bind(const StepBuffers& buffers) override {
        CudaStep::bind(buffers);
        std::byte* const base = ScratchLayout::base(scratch());
        operands_.x = task_.padsInputs() ? base + paddedPlace_ : input<std::byte>(0);
        operands_.weights = weights_->product(base + roomPlace_);
        operands_.bias = weights_->bias();
        operands_.residual = task_.shape.hasResidual ? input<std::byte>(1) : nullptr;
        operands_.y = task_.padsOutputs() && plan_.plan ? base + widePlace_ : output<std::byte>();
        operands_.workspace = plan_.plan && plan_.plan->workspaceBytes() > 0 ? base + workspacePlace_ : nullptr;
        if (plan_.plan) bound_ = plan_.plan->bind(operands_);
    }

    Status run() override {
        const ConvolutionShape& shape = task_.shape;
        if (task_.padsInputs())
            RB_TRY(padChannels(input<std::byte>(0), shape.batch * shape.height * shape.width, task_.inputs, shape.type,
                               base() + paddedPlace_, stream()));
        RB_TRY(weights_->fetch(base() + roomPlace_));
        if (!plan_.plan) {
            RB_TRY(convolveDirectly(shape, task_.outputs, operands_, stream()));
            return weights_->release();
        }
        if (!*bound_) return fail(bound_->error());
        RB_TRY(plan_.plan->run(**bound_));
        RB_TRY(weights_->release());
        return hasOwnEpilogue() ? runEpilogue() : Status();
    }

  private:
    std::byte* base() const { return ScratchLayout::base(scratch()); }
    bool hasOwnEpilogue() const {
        return task_.padsOutputs() || (task_.shape.hasEpilogue() && !plan_.plan->shape().hasEpilogue());
    }
    Status runEpilogue() const {
        ProductEpilogue epilogue;
        epilogue.x = operands_.y;
        epilogue.bias = operands_.bias;
        epilogue.residual = operands_.residual;
        epilogue.y = output<std::byte>();
        epilogue.rows = task_.outRows();
        epilogue.channels = static_cast<int>(task_.outputs);
        epilogue.pitch = static_cast<int>(task_.shape.outputs);
        epilogue.activation = task_.shape.activation;
        return applyEpilogue(epilogue, task_.shape.type, stream());
    }

    Conv2dTask task_;
    std::shared_ptr<CudaWeights> weights_;
    NamedPlan plan_;
    ScratchLayout layout_;
    std::size_t paddedPlace_ = 0, widePlace_ = 0, roomPlace_ = 0, workspacePlace_ = 0;
    ConvolutionOperands operands_;
    std::optional<Result<CudnnDescriptor>> bound_;
};

struct LoadedTask {
    Conv2dTask task;
    std::shared_ptr<CudaWeights> weights;
};

Result<LoadedTask> load(const StepRequest& request, const CudaContext& context) {
    Conv2dTask task(request, context.valueType);
    RB_ASSIGN(std::shared_ptr<CudaWeights> weights,
              CudaWeights::load(request, context, {.outputs = task.shape.outputs, .inputs = task.shape.inputs}));
    task.shape.hasBias = weights->hasBias();
    return LoadedTask{task, std::move(weights)};
}

/// The plans to try, the remembered one alone where there is one.
std::vector<NamedPlan> plansFor(const Conv2dTask& task, const CudaContext& context) {
    const ConvolutionShape asked = task.askedFor();
    if (const auto name = context.algorithms->find(asked.key()))
        if (auto plan = context.convolutions->named(asked, *name, context)) return {{*name, *std::move(plan)}};
    return context.convolutions->candidates(asked, task.operations() >= kWorthTiming ? kMostPlans : 1, context);
}

}  // namespace

Result<std::unique_ptr<Step>> makeDirectConv2dStep(const StepRequest& request, const CudaContext& context) {
    RB_ASSIGN(const LoadedTask loaded, load(request, context));
    return std::make_unique<Conv2dStep>(loaded.task, loaded.weights, NamedPlan{}, context);
}

Result<std::unique_ptr<Step>> makeConv2dStep(const StepRequest& request, const CudaContext& context) {
    if (isPointwise(std::get<Conv2d>(request.node.op))) return makeLinearStep(request, context);
    RB_ASSIGN(const LoadedTask loaded, load(request, context));
    const std::vector<NamedPlan> plans = plansFor(loaded.task, context);
    std::vector<std::unique_ptr<Step>> steps;
    for (const NamedPlan& plan : plans)
        steps.push_back(std::make_unique<Conv2dStep>(loaded.task, loaded.weights, plan, context));
    const WithoutWeights whileTiming(*loaded.weights);
    if (!steps.empty())
        if (const auto fastest = fastestStep(steps, request, context)) {
            if (steps.size() > 1) context.algorithms->remember(loaded.task.askedFor().key(), plans[*fastest].name);
            return std::move(steps[*fastest]);
        }
    return std::make_unique<Conv2dStep>(loaded.task, loaded.weights, NamedPlan{}, context);
}

}  // namespace reelbrush::kernels
