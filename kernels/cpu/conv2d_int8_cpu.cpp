#include "kernels/cpu/conv2d_int8_cpu.h"

#include "kernels/cpu/input_rounding.h"
#include "kernels/cpu/packed_weights.h"

#include <string_view>
#include <utility>

namespace reelbrush::kernels {

namespace {

using DataType = dnnl::memory::data_type;
using PrimitiveDesc = dnnl::convolution_forward::primitive_desc;

dnnl::memory::desc channelScalesDesc(const Conv2dProblem& problem) {
    return imageDesc(DataType::f32, {1, problem.op.outChannels, 1, 1});
}

dnnl::memory::desc zeroPointDesc() {
    return {{1}, DataType::s32, dnnl::memory::format_tag::x};
}

/// Scales are known only when the input is, and oneDNN's own are fixed with the primitive. So the channels' scales
/// come in as an operand of a product: y = act((sums + bias / scale) * scale + residual).
PrimitiveDesc describeInt8(const Conv2dProblem& problem) {
    dnnl::post_ops operations;
    operations.append_binary(dnnl::algorithm::binary_mul, channelScalesDesc(problem));
    if (problem.op.hasResidual) operations.append_sum();
    appendActivation(operations, problem.op.activation);
    dnnl::primitive_attr attr = attributes(operations);
    attr.set_zero_points(DNNL_ARG_SRC, 0, {DNNL_RUNTIME_S32_VAL});
    const Conv2dProblem::Layouts layouts{
        imageDesc(DataType::u8, problem.inputDims()),
        {problem.weightDims(), DataType::s8, dnnl::memory::format_tag::any},
        imageDesc(DataType::f32, problem.outputDims()),
        true,
    };
    return problem.describe(dnnl::algorithm::convolution_direct, layouts, attr);
}

class Int8Conv2dStep : public Step {
  public:
    Int8Conv2dStep(Conv2dProblem problem, PrimitiveDesc primitive, PackedWeights packed)
        : problem_(std::move(problem)), desc_(std::move(primitive)), primitive_(desc_), packed_(std::move(packed)) {}

    std::size_t scratchBytes() const override { return layout_.totalBytes(); }
    std::size_t weightBytes() const override {
        return packed_.sizeBytes() + (weightScales_.size() + biases_.size()) * sizeof(float);
    }

    Status loadWeights(const WeightProvider& weights) override {
        RB_ASSIGN(QuantisedRows rows, problem_.weights.loadInt8(weights, problem_.threads));
        RB_ASSIGN(std::vector<float> biases, problem_.weights.loadBiases(weights));
        weightScales_ = std::move(rows.scales);
        biases_ = std::move(biases);
        return packed_.fill(problem_.onednn, problem_.storedWeightDesc(DataType::s8), rows.values.data());
    }

    void bind(const StepBuffers& buffers) override {
        buffers_ = buffers;
        calls_.clear();
        const dnnl::engine& engine = problem_.onednn.engine;
        for (std::int64_t sample = 0; sample < problem_.batch; ++sample) {
            OnednnCall& call = calls_.emplace_back(primitive_);
            call.set(DNNL_ARG_SRC, desc_.src_desc(), engine, buffers.scratch + rounded_);
            call.set(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, zeroPointDesc(), engine, buffers.scratch + zeroPoint_);
            call.set(DNNL_ARG_WEIGHTS, packed_.desc(), engine, packed_.data());
            call.set(DNNL_ARG_BIAS, problem_.biasDesc(), engine, buffers.scratch + scaledBiases_);
            call.set(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, channelScalesDesc(problem_), engine,
                     buffers.scratch + scales_);
            call.set(DNNL_ARG_DST, desc_.dst_desc(), engine, buffers.output + sample * problem_.outputElements());
            call.set(DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc(), engine, buffers.scratch + inner_);
        }
    }

    /// Each sample has a scale of its own, so that it does not depend on its neighbours.
    Status run() override {
        for (std::int64_t sample = 0; sample < problem_.batch; ++sample) {
            roundSample(buffers_.inputs[0] + sample * problem_.inputElements());
            const std::int64_t out = sample * problem_.outputElements();
            if (problem_.op.hasResidual)
                placeResidual(buffers_.inputs[1] + out, buffers_.output + out, problem_.outputElements(),
                              problem_.threads);
            RB_TRY(calls_[static_cast<std::size_t>(sample)].run(problem_.onednn.stream));
        }
        return {};
    }

    double operations() const override { return problem_.operations(); }
    std::string algorithm() const override { return "int8"; }
    bool isInt8() const override { return true; }

  private:
    template <typename T>
    T* scratch(std::size_t offset) const {
        return reinterpret_cast<T*>(buffers_.scratch + offset);
    }

    void roundSample(const float* input) const {
        const auto rounding = InputRounding::forRange(rangeWithZero(input, problem_.inputElements(), problem_.threads));
        roundInput(input, problem_.inputElements(), rounding, problem_.threads, scratch<std::uint8_t>(rounded_));
        *scratch<std::int32_t>(zeroPoint_) = rounding.zeroPoint;
        for (std::size_t o = 0; o < biases_.size(); ++o) {
            const float scale = weightScales_[o] * rounding.scale;
            scratch<float>(scales_)[o] = scale;
            scratch<float>(scaledBiases_)[o] = biases_[o] / scale;
        }
    }

    std::size_t channelBytes() const { return static_cast<std::size_t>(problem_.op.outChannels) * sizeof(float); }

    Conv2dProblem problem_;
    PrimitiveDesc desc_;
    dnnl::convolution_forward primitive_;
    PackedWeights packed_;
    std::vector<float> weightScales_, biases_;
    ScratchLayout layout_;
    std::size_t rounded_ = layout_.add(static_cast<std::size_t>(problem_.inputElements()));
    std::size_t zeroPoint_ = layout_.add(sizeof(std::int32_t));
    std::size_t scales_ = layout_.add(channelBytes());
    std::size_t scaledBiases_ = layout_.add(channelBytes());
    std::size_t inner_ = layout_.add(desc_.scratchpad_desc().get_size());
    StepBuffers buffers_;
    std::vector<OnednnCall> calls_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeInt8Conv2dStep(Conv2dProblem problem, const WeightProvider& weights) {
    return guarded("preparing an int8 convolution", [&]() -> Result<std::unique_ptr<Step>> {
        PrimitiveDesc desc = describeInt8(problem);
        if (std::string_view(desc.impl_info_str()).find("ref") != std::string_view::npos)
            return fail(StatusCode::Unsupported, "This processor has no fast int8 convolution.");
        RB_ASSIGN(PackedWeights packed, PackedWeights::allocate(desc.weights_desc(), problem.budget));
        auto step = std::make_unique<Int8Conv2dStep>(std::move(problem), std::move(desc), std::move(packed));
        RB_TRY(step->loadWeights(weights));
        return step;
    });
}

}  // namespace reelbrush::kernels
