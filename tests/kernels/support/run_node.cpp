#include "tests/kernels/support/run_node.h"

#include "kernels/tensor/buffer.h"
#include "tests/kernels/support/memory_weights.h"

#include <cstring>

namespace reelbrush::kernels {

namespace {

constexpr std::size_t kGuardBytes = 256;
constexpr unsigned char kPoison = 0xff;  // as a float: NaN

/// A block filled with poison, with a guard behind it.
class GuardedBlock {
  public:
    static Result<GuardedBlock> allocate(std::size_t bytes) {
        GuardedBlock block;
        RB_ASSIGN(block.buffer_, Buffer::allocate(bytes + kGuardBytes, nullptr, "a test"));
        block.bytes_ = bytes;
        block.poison();
        return block;
    }
    void poison() { std::memset(buffer_.data(), kPoison, buffer_.sizeBytes()); }
    std::byte* data() { return buffer_.data(); }
    bool isGuardIntact() const {
        for (std::size_t i = bytes_; i < buffer_.sizeBytes(); ++i)
            if (buffer_.data()[i] != std::byte{kPoison}) return false;
        return true;
    }

  private:
    Buffer buffer_;
    std::size_t bytes_ = 0;
};

}  // namespace

Result<TestTensor> runNode(Backend& backend, const NodeCase& node, const WeightProvider& weights) {
    std::vector<Shape> shapes;
    for (const TestTensor& input : node.inputs) shapes.push_back(input.shape);
    RB_ASSIGN(const Shape output,
              std::visit([&](const auto& op) { return outputShape(op, std::span<const Shape>(shapes)); }, node.op));

    Node described{node.op, {}, {}, node.weights, "test"};
    backend.enter();
    RB_ASSIGN(const std::unique_ptr<Step> step, backend.prepare(StepRequest{described, shapes, output, weights}));

    const std::size_t bytes = static_cast<std::size_t>(output.elements()) * sizeof(float);
    RB_ASSIGN(GuardedBlock result, GuardedBlock::allocate(bytes));
    RB_ASSIGN(GuardedBlock scratch, GuardedBlock::allocate(step->scratchBytes()));
    std::vector<GuardedBlock> inputs;
    StepBuffers buffers;
    for (const TestTensor& input : node.inputs) {
        RB_ASSIGN(GuardedBlock block, GuardedBlock::allocate(input.values.size() * sizeof(float)));
        std::memcpy(block.data(), input.values.data(), input.values.size() * sizeof(float));
        buffers.inputs.push_back(reinterpret_cast<const float*>(block.data()));
        inputs.push_back(std::move(block));
    }
    buffers.output = reinterpret_cast<float*>(result.data());
    buffers.scratch = scratch.data();
    step->bind(buffers);

    TestTensor first{output, std::vector<float>(static_cast<std::size_t>(output.elements()))};
    for (int repetition = 0; repetition < 2; ++repetition) {
        result.poison();
        scratch.poison();
        RB_TRY(step->run());
        if (!result.isGuardIntact()) return fail(StatusCode::Internal, "The step wrote behind its output.");
        if (!scratch.isGuardIntact()) return fail(StatusCode::Internal, "The step wrote behind its scratch.");
        if (repetition == 0)
            std::memcpy(first.values.data(), result.data(), bytes);
        else if (std::memcmp(first.values.data(), result.data(), bytes) != 0)
            return fail(StatusCode::Internal, "The second run of the step gave other values than the first.");
    }
    return first;
}

Result<TestTensor> runNode(Backend& backend, const NodeCase& node) {
    return runNode(backend, node, MemoryWeights{});
}

}  // namespace reelbrush::kernels
