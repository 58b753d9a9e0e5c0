#include "kernels/cpu/linear_float_cpu.h"

#include "kernels/cpu/packed_weights.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

using dnnl::matmul;
using DataType = dnnl::memory::data_type;
using Tag = dnnl::memory::format_tag;

dnnl::memory::desc biasDescOf(const LinearProblem& problem) {
    return {{1, problem.outFeatures}, DataType::f32, Tag::ab};
}

matmul::primitive_desc describeFloat(const LinearProblem& problem) {
    const dnnl::memory::desc source({problem.rows, problem.inFeatures}, DataType::f32, Tag::ab);
    const dnnl::memory::desc weights({problem.inFeatures, problem.outFeatures}, DataType::f32, Tag::any);
    const dnnl::memory::desc destination({problem.rows, problem.outFeatures}, DataType::f32, Tag::ab);
    dnnl::post_ops operations;
    if (problem.hasResidual) operations.append_binary(dnnl::algorithm::binary_add, destination);
    appendActivation(operations, problem.activation);
    const matmul::desc desc = problem.weights.hasBias()
                                  ? matmul::desc(source, weights, biasDescOf(problem), destination)
                                  : matmul::desc(source, weights, destination);
    return {desc, attributes(operations), problem.onednn.engine};
}

class FloatLinearStep : public Step {
  public:
    FloatLinearStep(LinearProblem problem, matmul::primitive_desc desc, PackedWeights packed)
        : problem_(std::move(problem)), desc_(std::move(desc)), primitive_(desc_), packed_(std::move(packed)) {}

    std::size_t scratchBytes() const override { return desc_.scratchpad_desc().get_size(); }
    std::size_t weightBytes() const override { return packed_.sizeBytes() + biases_.size() * sizeof(float); }

    Status loadWeights(const WeightProvider& weights) override {
        RB_ASSIGN(const std::vector<float> floats, problem_.weights.loadFloats(weights));
        RB_ASSIGN(const std::vector<float> biases, problem_.weights.loadBiases(weights));
        std::ranges::copy(biases, biases_.begin());
        return packed_.fill(problem_.onednn, problem_.storedWeightDesc(DataType::f32), floats.data());
    }

    void bind(const StepBuffers& buffers) override {
        call_ = OnednnCall(primitive_);
        const dnnl::engine& engine = problem_.onednn.engine;
        call_.set(DNNL_ARG_SRC, desc_.src_desc(), engine, buffers.inputs[0]);
        call_.set(DNNL_ARG_WEIGHTS, packed_.desc(), engine, packed_.data());
        if (problem_.weights.hasBias()) call_.set(DNNL_ARG_BIAS, biasDescOf(problem_), engine, biases_.data());
        if (problem_.hasResidual)
            call_.set(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, desc_.dst_desc(), engine, buffers.inputs[1]);
        call_.set(DNNL_ARG_DST, desc_.dst_desc(), engine, buffers.output);
        call_.set(DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc(), engine, buffers.scratch);
    }

    Status run() override { return call_.run(problem_.onednn.stream); }
    double operations() const override { return problem_.operations(); }
    std::string algorithm() const override { return "direct f32"; }

  private:
    LinearProblem problem_;
    matmul::primitive_desc desc_;
    matmul primitive_;
    PackedWeights packed_;
    std::vector<float> biases_ = std::vector<float>(static_cast<std::size_t>(problem_.outFeatures));
    OnednnCall call_ = OnednnCall(primitive_);
};

}  // namespace

Result<std::unique_ptr<Step>> makeFloatLinearStep(LinearProblem problem, const WeightProvider& weights) {
    return guarded("preparing a linear layer", [&]() -> Result<std::unique_ptr<Step>> {
        matmul::primitive_desc desc = describeFloat(problem);
        RB_ASSIGN(PackedWeights packed, PackedWeights::allocate(desc.weights_desc(), problem.budget));
        auto step = std::make_unique<FloatLinearStep>(std::move(problem), std::move(desc), std::move(packed));
        RB_TRY(step->loadWeights(weights));
        return step;
    });
}

}  // namespace reelbrush::kernels
