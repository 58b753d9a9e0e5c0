#include "kernels/reference/reference_backend.h"

#include "kernels/plan/float_weights.h"
#include "kernels/plan/weight_shapes.h"
#include "kernels/reference/reference_ops.h"

namespace reelbrush::kernels {

namespace {

class ReferenceStep : public Step {
  public:
    explicit ReferenceStep(const StepRequest& request)
        : node_(request.node),
          inputShapes_(request.inputs.begin(), request.inputs.end()),
          outputShape_(request.output) {}

    std::size_t weightBytes() const override {
        std::size_t bytes = 0;
        for (const auto& weight : weights_) bytes += weight.size() * sizeof(float);
        return bytes;
    }

    Status loadWeights(const WeightProvider& provider) override {
        const std::vector<WeightNeed> needs = weightNeeds(node_.op, inputShapes_);
        std::vector<std::vector<float>> loaded(needs.size());
        for (std::size_t i = 0; i < needs.size(); ++i) {
            const std::string name = i < node_.weights.size() ? node_.weights[i] : std::string();
            if (name.empty() && !needs[i].mayBeAbsent())
                return fail(StatusCode::BadInput, fmt::format("The layer '{}' ({}) names no weight number {}.",
                                                              node_.name, nameOf(node_.op), i));
            RB_ASSIGN(loaded[i], loadFloats(provider, name, needs[i].shape));
        }
        weights_ = std::move(loaded);
        return {};
    }

    void bind(const StepBuffers& buffers) override { buffers_ = buffers; }

    Status run() override {
        const ReferenceCall call{inputShapes_, outputShape_, buffers_.inputs, weights_, buffers_.output};
        std::visit([&call](const auto& op) { computeReference(op, call); }, node_.op);
        return {};
    }

    std::string algorithm() const override { return "reference"; }

  private:
    Node node_;
    std::vector<Shape> inputShapes_;
    Shape outputShape_;
    std::vector<std::vector<float>> weights_;
    StepBuffers buffers_;
};

}  // namespace

Result<std::unique_ptr<Step>> ReferenceBackend::prepare(const StepRequest& request) {
    auto step = std::make_unique<ReferenceStep>(request);
    RB_TRY(step->loadWeights(request.weights));
    return step;
}

}  // namespace reelbrush::kernels
