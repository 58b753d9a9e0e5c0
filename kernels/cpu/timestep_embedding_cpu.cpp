#include "kernels/cpu/timestep_embedding_cpu.h"

#include "kernels/cpu/bound_step.h"

#include <cmath>
#include <vector>

namespace reelbrush::kernels {

namespace {

class TimestepEmbeddingStep : public BoundStep {
  public:
    TimestepEmbeddingStep(const TimestepEmbedding& op, std::int64_t batch) : op_(op), batch_(batch) {
        const int half = op.channels / 2;
        for (int i = 0; i < half; ++i)
            frequencies_.push_back(
                std::exp(-std::log(static_cast<double>(op.maxPeriod)) * i / (half - op.frequencyShift)));
    }

    Status run() override {
        const std::size_t half = frequencies_.size();
        for (std::int64_t n = 0; n < batch_; ++n) {
            float* row = buffers_.output + n * op_.channels;
            float* cosines = op_.cosineFirst ? row : row + half;
            float* sines = op_.cosineFirst ? row + half : row;
            for (std::size_t i = 0; i < half; ++i) {
                const double angle = static_cast<double>(buffers_.inputs[0][n]) * frequencies_[i];
                cosines[i] = static_cast<float>(std::cos(angle));
                sines[i] = static_cast<float>(std::sin(angle));
            }
        }
        return {};
    }

  private:
    TimestepEmbedding op_;
    std::int64_t batch_;
    std::vector<double> frequencies_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeTimestepEmbeddingStep(const StepRequest& request) {
    return std::make_unique<TimestepEmbeddingStep>(std::get<TimestepEmbedding>(request.node.op),
                                                   request.output.batch());
}

}  // namespace reelbrush::kernels
