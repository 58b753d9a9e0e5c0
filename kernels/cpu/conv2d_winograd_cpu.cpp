#include "kernels/cpu/conv2d_winograd_cpu.h"

#include "kernels/cpu/packed_weights.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

using DataType = dnnl::memory::data_type;
using PrimitiveDesc = dnnl::convolution_forward::primitive_desc;
using ReorderDesc = dnnl::reorder::primitive_desc;

/// Large images would need hundreds of megabytes for a gain that reordering eats up.
constexpr std::size_t kLargestScratchBytes = std::size_t{48} << 20;
/// Transformed weights are four times as large. Layers of few pixels and very many channels gain little by them, and a
/// full-size UNet would grow by 800 MB.
constexpr std::size_t kLargestWeightBytes = std::size_t{24} << 20;

struct Primitives {
    PrimitiveDesc convolution;
    dnnl::memory::desc plainInput, plainOutput;  ///< [height, width, channels]
    ReorderDesc toBlocked, residualToBlocked, toPlain;
};

Primitives describeWinograd(const Conv2dProblem& problem) {
    dnnl::post_ops operations;
    if (problem.op.hasResidual) operations.append_sum();
    appendActivation(operations, problem.op.activation);
    const auto blocked = dnnl::memory::format_tag::nChw16c;
    const Conv2dProblem::Layouts layouts{
        {problem.inputDims(), DataType::f32, blocked},
        {problem.weightDims(), DataType::f32, dnnl::memory::format_tag::any},
        {problem.outputDims(), DataType::f32, blocked},
        problem.weights.hasBias(),
    };
    Primitives result;
    result.convolution = problem.describe(dnnl::algorithm::convolution_winograd, layouts, attributes(operations));
    result.plainInput = imageDesc(DataType::f32, problem.inputDims());
    result.plainOutput = imageDesc(DataType::f32, problem.outputDims());
    const dnnl::engine& engine = problem.onednn.engine;
    const dnnl::primitive_attr attr = attributes();
    result.toBlocked = ReorderDesc(engine, result.plainInput, engine, layouts.source, attr);
    result.residualToBlocked = ReorderDesc(engine, result.plainOutput, engine, layouts.destination, attr);
    result.toPlain = ReorderDesc(engine, layouts.destination, engine, result.plainOutput, attr);
    return result;
}

class WinogradConv2dStep : public Step {
  public:
    WinogradConv2dStep(Conv2dProblem problem, Primitives primitives, PackedWeights packed)
        : problem_(std::move(problem)),
          desc_(std::move(primitives)),
          convolution_(desc_.convolution),
          toBlocked_(desc_.toBlocked),
          residualToBlocked_(desc_.residualToBlocked),
          toPlain_(desc_.toPlain),
          packed_(std::move(packed)) {}

    std::size_t scratchBytes() const override { return layout_.totalBytes(); }
    std::size_t weightBytes() const override { return packed_.sizeBytes() + biases_.size() * sizeof(float); }

    Status loadWeights(const WeightProvider& weights) override {
        RB_ASSIGN(const std::vector<float> floats, problem_.weights.loadFloats(weights));
        RB_ASSIGN(const std::vector<float> biases, problem_.weights.loadBiases(weights));
        std::ranges::copy(biases, biases_.begin());
        return packed_.fill(problem_.onednn, problem_.storedWeightDesc(DataType::f32), floats.data());
    }

    void bind(const StepBuffers& buffers) override {
        calls_.clear();
        for (std::int64_t sample = 0; sample < problem_.batch; ++sample) {
            const float* input = buffers.inputs[0] + sample * problem_.inputElements();
            const std::int64_t out = sample * problem_.outputElements();
            bindReorder(toBlocked_, desc_.toBlocked, input, buffers.scratch + input_, buffers.scratch);
            if (problem_.op.hasResidual)
                bindReorder(residualToBlocked_, desc_.residualToBlocked, buffers.inputs[1] + out,
                            buffers.scratch + output_, buffers.scratch);
            bindConvolution(buffers.scratch);
            bindReorder(toPlain_, desc_.toPlain, buffers.scratch + output_, buffers.output + out, buffers.scratch);
        }
    }

    Status run() override {
        for (const OnednnCall& call : calls_) RB_TRY(call.run(problem_.onednn.stream));
        return {};
    }

    double operations() const override { return problem_.operations(); }
    std::string algorithm() const override { return "winograd f32"; }

  private:
    void bindReorder(const dnnl::reorder& primitive, const ReorderDesc& desc, const void* from, const void* to,
                     const std::byte* scratch) {
        OnednnCall& call = calls_.emplace_back(primitive);
        const dnnl::engine& engine = problem_.onednn.engine;
        call.set(DNNL_ARG_FROM, desc.src_desc(), engine, from);
        call.set(DNNL_ARG_TO, desc.dst_desc(), engine, to);
        call.set(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc(), engine, scratch + inner_);
    }
    void bindConvolution(const std::byte* scratch) {
        OnednnCall& call = calls_.emplace_back(convolution_);
        const dnnl::engine& engine = problem_.onednn.engine;
        call.set(DNNL_ARG_SRC, desc_.convolution.src_desc(), engine, scratch + input_);
        call.set(DNNL_ARG_WEIGHTS, packed_.desc(), engine, packed_.data());
        if (problem_.weights.hasBias()) call.set(DNNL_ARG_BIAS, problem_.biasDesc(), engine, biases_.data());
        call.set(DNNL_ARG_DST, desc_.convolution.dst_desc(), engine, scratch + output_);
        call.set(DNNL_ARG_SCRATCHPAD, desc_.convolution.scratchpad_desc(), engine, scratch + inner_);
    }
    std::size_t innerScratchBytes() const {
        return std::max({desc_.convolution.scratchpad_desc().get_size(), desc_.toBlocked.scratchpad_desc().get_size(),
                         desc_.residualToBlocked.scratchpad_desc().get_size(),
                         desc_.toPlain.scratchpad_desc().get_size()});
    }

    Conv2dProblem problem_;
    Primitives desc_;
    dnnl::convolution_forward convolution_;
    dnnl::reorder toBlocked_, residualToBlocked_, toPlain_;
    PackedWeights packed_;
    std::vector<float> biases_ = std::vector<float>(static_cast<std::size_t>(problem_.op.outChannels));
    ScratchLayout layout_;
    std::size_t input_ = layout_.add(desc_.convolution.src_desc().get_size());
    std::size_t output_ = layout_.add(desc_.convolution.dst_desc().get_size());
    std::size_t inner_ = layout_.add(innerScratchBytes());
    std::vector<OnednnCall> calls_;
};

}  // namespace

bool winogradFits(const Conv2d& op) {
    return op.kernelHeight == 3 && op.kernelWidth == 3 && op.stride == 1 &&
           (op.activation == Activation::None || op.activation == Activation::Relu);
}

Result<std::unique_ptr<Step>> makeWinogradConv2dStep(Conv2dProblem problem, const WeightProvider& weights) {
    return guarded("preparing a Winograd convolution", [&]() -> Result<std::unique_ptr<Step>> {
        Primitives primitives = describeWinograd(problem);
        const dnnl::memory::desc weightsDesc = primitives.convolution.weights_desc();
        if (weightsDesc.get_size() > kLargestWeightBytes)
            return fail(StatusCode::Unsupported, "A Winograd convolution of this size needs too large weights.");
        RB_ASSIGN(PackedWeights packed, PackedWeights::allocate(weightsDesc, problem.budget));
        auto step = std::make_unique<WinogradConv2dStep>(std::move(problem), std::move(primitives), std::move(packed));
        if (step->scratchBytes() > kLargestScratchBytes)
            return fail(StatusCode::Unsupported, "A Winograd convolution of this size needs too much scratch.");
        RB_TRY(step->loadWeights(weights));
        return step;
    });
}

}  // namespace reelbrush::kernels
