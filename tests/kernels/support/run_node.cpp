#include "tests/kernels/support/run_node.h"

#include "kernels/plan/exact_values.h"
#include "tests/kernels/support/memory_weights.h"

#include <cstring>
#include <memory>
#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr std::size_t kGuardBytes = 256;
constexpr unsigned char kPoison = 0xff;  // as a float of any width: NaN

/// A block filled with poison, with a guard behind it. Host memory, which a device reaches too.
class GuardedBlock {
  public:
    static Result<GuardedBlock> allocate(Backend& backend, std::size_t bytes) {
        GuardedBlock block;
        block.bytes_ = bytes;
        if (Device* device = backend.device()) {
            RB_ASSIGN(block.memory_, device->allocateShared(bytes + kGuardBytes, "a test"));
        } else {
            RB_ASSIGN(block.memory_, backend.allocateArena(bytes + kGuardBytes));
        }
        block.poison();
        return block;
    }
    void poison() { std::memset(data(), kPoison, bytes_ + kGuardBytes); }
    std::byte* data() { return memory_->data(); }
    float* floats() { return reinterpret_cast<float*>(data()); }
    bool isGuardIntact() {
        for (std::size_t i = bytes_; i < bytes_ + kGuardBytes; ++i)
            if (data()[i] != std::byte{kPoison}) return false;
        return true;
    }

  private:
    std::unique_ptr<DeviceMemory> memory_;
    std::size_t bytes_ = 0;
};

/// How the backend holds values.
struct Values {
    Backend& backend;

    DType typeOf(bool exact) const {
        const Device* device = backend.device();
        return device && !exact ? device->valueType() : DType::F32;
    }
    Status finish() const { return backend.device() ? backend.device()->finish() : Status(); }

    Result<GuardedBlock> holding(const std::vector<float>& values, DType type) const {
        RB_ASSIGN(GuardedBlock floats, GuardedBlock::allocate(backend, values.size() * sizeof(float)));
        std::memcpy(floats.data(), values.data(), values.size() * sizeof(float));
        if (type == DType::F32) return floats;
        RB_ASSIGN(GuardedBlock block, GuardedBlock::allocate(backend, values.size() * sizeOf(type)));
        RB_TRY(backend.device()->load(floats.floats(), static_cast<std::int64_t>(values.size()), type, block.data()));
        RB_TRY(finish());
        return block;
    }
    Result<std::vector<float>> read(GuardedBlock& block, std::size_t count, DType type) const {
        if (type == DType::F32) return std::vector<float>(block.floats(), block.floats() + count);
        RB_ASSIGN(GuardedBlock floats, GuardedBlock::allocate(backend, count * sizeof(float)));
        RB_TRY(backend.device()->store(block.data(), type, static_cast<std::int64_t>(count), floats.floats()));
        RB_TRY(finish());
        return std::vector<float>(floats.floats(), floats.floats() + count);
    }
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

    const Values values{backend};
    const DType type = values.typeOf(false);
    const auto count = static_cast<std::size_t>(output.elements());
    RB_ASSIGN(GuardedBlock result, GuardedBlock::allocate(backend, count * sizeOf(type)));
    RB_ASSIGN(GuardedBlock scratch, GuardedBlock::allocate(backend, step->scratchBytes()));
    std::vector<GuardedBlock> inputs;
    StepBuffers buffers;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        RB_ASSIGN(GuardedBlock block, values.holding(node.inputs[i].values, values.typeOf(readsExactly(node.op, i))));
        buffers.inputs.push_back(block.floats());
        inputs.push_back(std::move(block));
    }
    buffers.output = result.floats();
    buffers.scratch = scratch.data();
    step->bind(buffers);

    TestTensor first{output, {}};
    for (int repetition = 0; repetition < 2; ++repetition) {
        result.poison();
        scratch.poison();
        RB_TRY(step->run());
        RB_TRY(values.finish());
        if (!result.isGuardIntact()) return fail(StatusCode::Internal, "The step wrote behind its output.");
        if (!scratch.isGuardIntact()) return fail(StatusCode::Internal, "The step wrote behind its scratch.");
        RB_ASSIGN(std::vector<float> computed, values.read(result, count, type));
        if (repetition == 0)
            first.values = std::move(computed);
        else if (std::memcmp(first.values.data(), computed.data(), count * sizeof(float)) != 0)
            return fail(StatusCode::Internal, "The second run of the step gave other values than the first.");
    }
    return first;
}

Result<TestTensor> runNode(Backend& backend, const NodeCase& node) {
    return runNode(backend, node, MemoryWeights{});
}

}  // namespace reelbrush::kernels
