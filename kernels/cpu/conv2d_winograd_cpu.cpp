#include "kernels/cpu/conv2d_winograd_cpu.h"

#include "kernels/cpu/packed_weights.h"
#include "kernels/cpu/winograd_bands.h"
#include "kernels/cpu/winograd_weights.h"

#include <algorithm>
#include <utility>

namespace reelbrush::kernels {

namespace {

using DataType = dnnl::memory::data_type;

/// Beyond this a network's arena would grow for a gain that reordering and transforming eat up.
constexpr std::size_t kLargestScratchBytes = std::size_t{192} << 20;
constexpr std::size_t kLargestTransformBytes = std::size_t{64} << 20;

/// Whether transformed weights, four times as large as the weights themselves, are worth their memory: where few pixels
/// share them, transforming takes as long as the convolution. A full-size UNet would grow by 800 MB.
bool keepsTransformed(const Conv2dProblem& problem, std::size_t transformedBytes) {
    constexpr std::size_t kMostBytes = std::size_t{24} << 20, kPixels = 1024;
    const auto pixels = static_cast<std::size_t>(problem.outHeight * problem.outWidth);
    return transformedBytes <= kMostBytes / std::max<std::size_t>(1, pixels / kPixels);
}

class WinogradConv2dStep : public Step {
  public:
    /// transform: how the packed weights become the convolution's in every run; nothing where they already are.
    WinogradConv2dStep(Conv2dProblem problem, WinogradBands bands, PackedWeights packed,
                       std::optional<WinogradWeightLayout> transform)
        : problem_(std::move(problem)),
          bands_(std::move(bands)),
          packed_(std::move(packed)),
          transform_(std::move(transform)) {}

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
        scratch_ = buffers.scratch;
        const std::int64_t inRow = problem_.inputElements() / problem_.inHeight;
        const std::int64_t outRow = problem_.outputElements() / problem_.outHeight;
        for (std::int64_t sample = 0; sample < problem_.batch; ++sample)
            for (const WinogradBand& band : bands_.bands) {
                const WinogradPrimitives& primitives = bands_.primitives[band.primitives];
                const float* input = buffers.inputs[0] + sample * problem_.inputElements() + band.firstInput * inRow;
                const std::int64_t out = sample * problem_.outputElements() + band.firstOutput * outRow;
                bindReorder(primitives.toBlocked, primitives.toBlockedDesc, input, scratch_ + input_);
                if (problem_.op.hasResidual)
                    bindReorder(primitives.residualToBlocked, primitives.residualToBlockedDesc, buffers.inputs[1] + out,
                                scratch_ + output_);
                bindConvolution(primitives);
                bindReorder(primitives.toPlain, primitives.toPlainDesc, scratch_ + output_, buffers.output + out);
            }
    }

    Status run() override {
        if (transform_)
            transformWinogradWeights(static_cast<const float*>(packed_.data()), *transform_, problem_.threads,
                                     reinterpret_cast<float*>(scratch_ + transformed_));
        for (const OnednnCall& call : calls_) RB_TRY(call.run(problem_.onednn.stream));
        return {};
    }

    double operations() const override { return problem_.operations(); }
    std::string algorithm() const override { return "banded winograd f32"; }

  private:
    void bindReorder(const dnnl::reorder& primitive, const WinogradPrimitives::ReorderDesc& desc, const void* from,
                     const void* to) {
        OnednnCall& call = calls_.emplace_back(primitive);
        const dnnl::engine& engine = problem_.onednn.engine;
        call.set(DNNL_ARG_FROM, desc.src_desc(), engine, from);
        call.set(DNNL_ARG_TO, desc.dst_desc(), engine, to);
        call.set(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc(), engine, scratch_ + inner_);
    }
    void bindConvolution(const WinogradPrimitives& primitives) {
        OnednnCall& call = calls_.emplace_back(primitives.convolution);
        const WinogradPrimitives::ConvolutionDesc& desc = primitives.convolutionDesc;
        const dnnl::engine& engine = problem_.onednn.engine;
        const void* weights = transform_ ? scratch_ + transformed_ : packed_.data();
        call.set(DNNL_ARG_SRC, desc.src_desc(), engine, scratch_ + input_);
        call.set(DNNL_ARG_WEIGHTS, desc.weights_desc(), engine, weights);
        if (problem_.weights.hasBias()) call.set(DNNL_ARG_BIAS, problem_.biasDesc(), engine, biases_.data());
        call.set(DNNL_ARG_DST, desc.dst_desc(), engine, scratch_ + output_);
        call.set(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc(), engine, scratch_ + inner_);
    }
    /// The most that any band asks for.
    template <typename Bytes>
    std::size_t most(const Bytes& bytes) const {
        std::size_t result = 0;
        for (const WinogradPrimitives& primitives : bands_.primitives) result = std::max(result, bytes(primitives));
        return result;
    }

    Conv2dProblem problem_;
    WinogradBands bands_;
    PackedWeights packed_;
    std::optional<WinogradWeightLayout> transform_;
    std::vector<float> biases_ = std::vector<float>(static_cast<std::size_t>(problem_.op.outChannels));
    ScratchLayout layout_;
    std::size_t input_ = layout_.add(most([](const auto& p) { return p.convolutionDesc.src_desc().get_size(); }));
    std::size_t output_ = layout_.add(most([](const auto& p) { return p.convolutionDesc.dst_desc().get_size(); }));
    std::size_t inner_ = layout_.add(most([](const auto& p) { return p.scratchBytes(); }));
    std::size_t transformed_ = layout_.add(transform_ ? transform_->floats() * sizeof(float) : 0);
    std::byte* scratch_ = nullptr;
    std::vector<OnednnCall> calls_;
};

}  // namespace

bool winogradFits(const Conv2d& op) {
    return op.kernelHeight == 3 && op.kernelWidth == 3 && op.stride == 1 &&
           (op.activation == Activation::None || op.activation == Activation::Relu);
}

Result<std::unique_ptr<Step>> makeWinogradConv2dStep(Conv2dProblem problem, const WeightProvider& weights) {
    return guarded("preparing a Winograd convolution", [&]() -> Result<std::unique_ptr<Step>> {
        WinogradBands bands = WinogradBands::describe(problem);
        dnnl::memory::desc packedDesc = bands.weightsDesc();
        std::optional<WinogradWeightLayout> transform;
        if (!keepsTransformed(problem, packedDesc.get_size())) {
            transform = WinogradWeightLayout::of(packedDesc);
            if (!transform || packedDesc.get_size() > kLargestTransformBytes)
                return fail(StatusCode::Unsupported, "A Winograd convolution of this size needs too large weights.");
            packedDesc = {problem.weightDims(), DataType::f32, dnnl::memory::format_tag::OIhw16i16o};
        }
        RB_ASSIGN(PackedWeights packed, PackedWeights::allocate(packedDesc, problem.budget));
        auto step = std::make_unique<WinogradConv2dStep>(std::move(problem), std::move(bands), std::move(packed),
                                                         std::move(transform));
        if (step->scratchBytes() > kLargestScratchBytes)
            return fail(StatusCode::Unsupported, "A Winograd convolution of this size needs too much scratch.");
        RB_TRY(step->loadWeights(weights));
        return step;
    });
}

}  // namespace reelbrush::kernels
