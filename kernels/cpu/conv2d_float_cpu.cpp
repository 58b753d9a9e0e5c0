#include "kernels/cpu/conv2d_float_cpu.h"

#include "kernels/cpu/packed_weights.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

using DataType = dnnl::memory::data_type;
using PrimitiveDesc = dnnl::convolution_forward::primitive_desc;

PrimitiveDesc describeDirect(const Conv2dProblem& problem) {
    // "sum" adds to what already lies in the output and keeps oneDNN's fastest kernels in play; a binary addition of
    // the residual would not.
    dnnl::post_ops operations;
    if (problem.op.hasResidual) operations.append_sum();
    appendActivation(operations, problem.op.activation);
    const Conv2dProblem::Layouts layouts{
        imageDesc(DataType::f32, problem.inputDims()),
        {problem.weightDims(), DataType::f32, dnnl::memory::format_tag::any},
        imageDesc(DataType::f32, problem.outputDims()),
        problem.weights.hasBias(),
    };
    return problem.describe(dnnl::algorithm::convolution_direct, layouts, attributes(operations));
}

class DirectConv2dStep : public Step {
  public:
    DirectConv2dStep(Conv2dProblem problem, PrimitiveDesc primitive, PackedWeights packed)
        : problem_(std::move(problem)), desc_(std::move(primitive)), primitive_(desc_), packed_(std::move(packed)) {}

    std::size_t scratchBytes() const override { return desc_.scratchpad_desc().get_size(); }
    std::size_t weightBytes() const override { return packed_.sizeBytes() + biases_.size() * sizeof(float); }

    Status loadWeights(const WeightProvider& weights) override {
        RB_ASSIGN(const std::vector<float> floats, problem_.weights.loadFloats(weights));
        RB_ASSIGN(const std::vector<float> biases, problem_.weights.loadBiases(weights));
        std::ranges::copy(biases, biases_.begin());
        return packed_.fill(problem_.onednn, problem_.storedWeightDesc(DataType::f32), floats.data());
    }

    void bind(const StepBuffers& buffers) override {
        buffers_ = buffers;
        calls_.clear();
        for (std::int64_t sample = 0; sample < problem_.batch; ++sample) {
            OnednnCall& call = calls_.emplace_back(primitive_);
            const dnnl::engine& engine = problem_.onednn.engine;
            call.set(DNNL_ARG_SRC, desc_.src_desc(), engine, buffers.inputs[0] + sample * problem_.inputElements());
            call.set(DNNL_ARG_WEIGHTS, packed_.desc(), engine, packed_.data());
            if (problem_.weights.hasBias()) call.set(DNNL_ARG_BIAS, problem_.biasDesc(), engine, biases_.data());
            call.set(DNNL_ARG_DST, desc_.dst_desc(), engine, buffers.output + sample * problem_.outputElements());
            call.set(DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc(), engine, buffers.scratch);
        }
    }

    Status run() override {
        if (problem_.op.hasResidual)
            placeResidual(buffers_.inputs[1], buffers_.output, problem_.batch * problem_.outputElements(),
                          problem_.threads);
        for (const OnednnCall& call : calls_) RB_TRY(call.run(problem_.onednn.stream));
        return {};
    }

    double operations() const override { return problem_.operations(); }
    std::string algorithm() const override { return "direct f32"; }

  private:
    Conv2dProblem problem_;
    PrimitiveDesc desc_;
    dnnl::convolution_forward primitive_;
    PackedWeights packed_;
    std::vector<float> biases_ = std::vector<float>(static_cast<std::size_t>(problem_.op.outChannels));
    StepBuffers buffers_;
    std::vector<OnednnCall> calls_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeDirectConv2dStep(Conv2dProblem problem, const WeightProvider& weights) {
    return guarded("preparing a convolution", [&]() -> Result<std::unique_ptr<Step>> {
        PrimitiveDesc desc = describeDirect(problem);
        RB_ASSIGN(PackedWeights packed, PackedWeights::allocate(desc.weights_desc(), problem.budget));
        auto step = std::make_unique<DirectConv2dStep>(std::move(problem), std::move(desc), std::move(packed));
        RB_TRY(step->loadWeights(weights));
        return step;
    });
}

}  // namespace reelbrush::kernels
