#include "kernels/cpu/arrange_cpu.h"

#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/plan/float_weights.h"

#include <cstring>
#include <vector>

namespace reelbrush::kernels {

namespace {

/// Bytes that are worth a thread.
constexpr std::int64_t kGrainBytes = 65536;

/// Joins, along one dimension, inputs that are seen as [batch, rows, run]: in every row their runs follow each other.
/// Joining channels has many short runs, joining tokens one long run a sample, repeating a batch only one input.
class JoinStep : public BoundStep {
  public:
    struct Part {
        std::int64_t runFloats = 0;
        bool isShared = false;  ///< batch 1, read again for every sample
    };

    JoinStep(std::vector<Part> parts, std::int64_t batch, std::int64_t rows, int threads)
        : parts_(std::move(parts)), batch_(batch), rows_(rows), threads_(threads) {
        for (const Part& part : parts_) outputRun_ += part.runFloats;
    }

    Status run() override {
        const std::int64_t grain = kGrainBytes / (outputRun_ * static_cast<std::int64_t>(sizeof(float))) + 1;
        parallelFor(threads_, batch_ * rows_, grain, [this](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) joinRow(row);
        });
        return {};
    }

  private:
    void joinRow(std::int64_t row) const {
        float* to = buffers_.output + row * outputRun_;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::int64_t floats = parts_[i].runFloats;
            const std::int64_t from = parts_[i].isShared ? row % rows_ : row;
            std::memcpy(to, buffers_.inputs[i] + from * floats, static_cast<std::size_t>(floats) * sizeof(float));
            to += floats;
        }
    }

    std::vector<Part> parts_;
    std::int64_t batch_, rows_;
    std::int64_t outputRun_ = 0;
    int threads_;
};

/// A range of an input's values.
class SliceStep : public BoundStep {
  public:
    SliceStep(std::int64_t first, std::int64_t count, int threads) : first_(first), count_(count), threads_(threads) {}

    Status run() override {
        constexpr auto kGrain = static_cast<std::int64_t>(kGrainBytes / sizeof(float));
        parallelFor(threads_, count_, kGrain, [this](std::int64_t begin, std::int64_t end) {
            std::memcpy(buffers_.output + begin, buffers_.inputs[0] + first_ + begin,
                        static_cast<std::size_t>(end - begin) * sizeof(float));
        });
        return {};
    }

  private:
    std::int64_t first_, count_;
    int threads_;
};

/// [A,B,C,D] → [A,C,B,D], D values at once. Output rows are written in order.
class SwapAxesStep : public BoundStep {
  public:
    SwapAxesStep(const Shape& input, int threads) : shape_(input), threads_(threads) {}

    Status run() override {
        const std::int64_t grain = kGrainBytes / (shape_[3] * static_cast<std::int64_t>(sizeof(float))) + 1;
        parallelFor(threads_, shape_.rows(), grain, [this](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) copyRow(row);
        });
        return {};
    }

  private:
    void copyRow(std::int64_t row) const {
        const std::int64_t b = row % shape_[1], c = row / shape_[1] % shape_[2], a = row / shape_[1] / shape_[2];
        const std::int64_t from = (a * shape_[1] + b) * shape_[2] + c;
        std::memcpy(buffers_.output + row * shape_[3], buffers_.inputs[0] + from * shape_[3],
                    static_cast<std::size_t>(shape_[3]) * sizeof(float));
    }

    Shape shape_;
    int threads_;
};

/// A weight as a value.
class ConstantStep : public BoundStep {
  public:
    ConstantStep(std::string name, const Shape& shape) : name_(std::move(name)), shape_(shape) {}

    std::size_t weightBytes() const override { return values_.size() * sizeof(float); }

    Status loadWeights(const WeightProvider& provider) override {
        RB_ASSIGN(std::vector<float> values, loadFloats(provider, name_, shape_));
        values_ = std::move(values);
        return {};
    }

    Status run() override {
        std::memcpy(buffers_.output, values_.data(), values_.size() * sizeof(float));
        return {};
    }

  private:
    std::string name_;
    Shape shape_;
    std::vector<float> values_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeConcatChannelsStep(const StepRequest& request, int threads) {
    const std::int64_t batch = request.output.batch();
    std::vector<JoinStep::Part> parts;
    for (const Shape& input : request.inputs) parts.push_back({input.channels(), input.batch() == 1});
    return std::make_unique<JoinStep>(std::move(parts), batch, request.output.rows() / batch, threads);
}

Result<std::unique_ptr<Step>> makeConcatTokensStep(const StepRequest& request, int threads) {
    std::vector<JoinStep::Part> parts;
    for (const Shape& input : request.inputs) parts.push_back({input[1] * input[2], input.batch() == 1});
    return std::make_unique<JoinStep>(std::move(parts), request.output.batch(), 1, threads);
}

Result<std::unique_ptr<Step>> makeRepeatBatchStep(const StepRequest& request, int threads) {
    const int times = std::get<RepeatBatch>(request.node.op).times;
    std::vector<JoinStep::Part> parts{{request.inputs[0].channels(), true}};
    return std::make_unique<JoinStep>(std::move(parts), times, request.inputs[0].rows(), threads);
}

Result<std::unique_ptr<Step>> makeSliceBatchStep(const StepRequest& request, int threads) {
    const std::int64_t size = request.inputs[0].elements() / request.inputs[0].batch();
    return std::make_unique<SliceStep>(std::get<SliceBatch>(request.node.op).first * size, request.output.elements(),
                                       threads);
}

Result<std::unique_ptr<Step>> makeConcatBatchStep(const StepRequest& request, int threads) {
    std::vector<JoinStep::Part> parts;
    for (const Shape& input : request.inputs) parts.push_back({input.elements(), false});
    return std::make_unique<JoinStep>(std::move(parts), 1, 1, threads);
}

Result<std::unique_ptr<Step>> makeSwapAxesStep(const StepRequest& request, int threads) {
    return std::make_unique<SwapAxesStep>(request.inputs[0], threads);
}

Result<std::unique_ptr<Step>> makeConstantStep(const StepRequest& request) {
    if (request.node.weights.empty() || request.node.weights[0].empty())
        return fail(StatusCode::BadInput, fmt::format("The constant '{}' names no weight.", request.node.name));
    auto step = std::make_unique<ConstantStep>(request.node.weights[0], request.output);
    RB_TRY(step->loadWeights(request.weights));
    return step;
}

}  // namespace reelbrush::kernels
