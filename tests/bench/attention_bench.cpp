#include "kernels/cuda/attention_cuda.h"
#include "kernels/cuda/cuda_device.h"
#include "tests/kernels/support/memory_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace reelbrush;
using namespace reelbrush::kernels;

struct Case {
    DType type = DType::F16;
    int batch = 0, queries = 0, keys = 0, heads = 0, headSize = 0;
};

/// Values of the device's type between -2 and 2; zeros where seed is 0.
Result<std::unique_ptr<CudaMemory>> randomValues(const Shape& shape, std::uint32_t seed, const CudaContext& context,
                                                 CudaDevice& device) {
    const auto count = static_cast<std::size_t>(shape.elements());
    RB_ASSIGN(const auto shared, device.allocateShared(count * sizeof(float), "values"));
    std::uint32_t state = seed;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        const float value = seed == 0 ? 0.0f : static_cast<float>(state >> 8) * 0x1p-22f - 2.0f;
        std::memcpy(shared->data() + i * sizeof(float), &value, sizeof(float));
    }
    RB_ASSIGN(auto memory, context.allocate(count * sizeOf(context.valueType), "values"));
    RB_TRY(device.load(reinterpret_cast<const float*>(shared->data()), shape.elements(), context.valueType,
                       memory->data()));
    RB_TRY(device.finish());
    return memory;
}

Result<std::vector<float>> valuesOf(const CudaMemory& memory, const Shape& shape, const CudaContext& context,
                                    CudaDevice& device) {
    const auto count = static_cast<std::size_t>(shape.elements());
    RB_ASSIGN(const auto shared, device.allocateShared(count * sizeof(float), "values"));
    auto* const floats = reinterpret_cast<float*>(shared->data());
    RB_TRY(device.store(memory.data(), context.valueType, shape.elements(), floats));
    RB_TRY(device.finish());
    return std::vector<float>(floats, floats + count);
}

/// The least of ten bursts, divided by the runs of each.
Result<double> secondsOf(Step& step, CudaDevice& device) {
    constexpr int kBursts = 10, kRuns = 20;
    double least = std::numeric_limits<double>::max();
    for (int burst = 0; burst < kBursts; ++burst) {
        RB_ASSIGN(const double taken, device.timed([&]() -> Status {
            for (int i = 0; i < kRuns; ++i) RB_TRY(step.run());
            return {};
        }));
        least = std::min(least, taken / kRuns);
    }
    return least;
}

Status timeWays(const Case& sizes) {
    RB_ASSIGN(const auto context, CudaContext::create(0, sizes.type, nullptr));
    CudaDevice device(*context);
    const int channels = sizes.heads * sizes.headSize;
    const std::vector<Shape> shapes{{sizes.batch, sizes.queries, channels},
                                    {sizes.batch, sizes.keys, channels},
                                    {sizes.batch, sizes.keys, channels}};
    const Node node{Attention{sizes.heads, sizes.headSize, 0.0f, {}}, {}, {}, {}, "bench"};
    const MemoryWeights none;
    RB_ASSIGN(const auto steps, attentionSteps({node, shapes, shapes[0], none}, *context));
    StepBuffers buffers;
    std::vector<std::unique_ptr<CudaMemory>> inputs;
    for (std::uint32_t i = 0; i < 3; ++i) {
        RB_ASSIGN(auto values, randomValues(shapes[i], i + 1, *context, device));
        buffers.inputs.push_back(reinterpret_cast<const float*>(values->data()));
        inputs.push_back(std::move(values));
    }
    std::vector<float> first;
    for (const auto& step : steps) {
        RB_ASSIGN(const auto output, randomValues(shapes[0], 0, *context, device));
        RB_ASSIGN(const auto scratch, context->allocate(step->scratchBytes(), "scratch"));
        buffers.output = reinterpret_cast<float*>(output->data());
        buffers.scratch = scratch->data();
        step->bind(buffers);
        RB_TRY(step->run());
        RB_ASSIGN(const double seconds, secondsOf(*step, device));
        RB_ASSIGN(std::vector<float> values, valuesOf(*output, shapes[0], *context, device));
        if (first.empty()) first = values;
        double farthest = 0.0;
        for (std::size_t i = 0; i < first.size(); ++i)
            farthest = std::max(farthest, std::abs(static_cast<double>(values[i]) - static_cast<double>(first[i])));
        std::printf("%s B%d Q%d K%d H%d D%d  %-22s %8.4f ms  %6.1f TFLOP/s  off %.1e\n", nameOf(sizes.type),
                    sizes.batch, sizes.queries, sizes.keys, sizes.heads, sizes.headSize, step->algorithm().c_str(),
                    seconds * 1e3, step->operations() / seconds * 1e-12, farthest);
    }
    return {};
}

}  // namespace

/// Times every way that a CUDA device has to compute an attention, and says how far each result is from the first's.
/// Usage: attention_bench f16|bf16 BATCH QUERIES KEYS HEADS HEADSIZE
int main(int argc, char** argv) {
    if (argc != 7) return EXIT_FAILURE;
    Case sizes;
    sizes.type = std::strcmp(argv[1], "bf16") == 0 ? DType::BF16 : DType::F16;
    sizes.batch = std::atoi(argv[2]);
    sizes.queries = std::atoi(argv[3]);
    sizes.keys = std::atoi(argv[4]);
    sizes.heads = std::atoi(argv[5]);
    sizes.headSize = std::atoi(argv[6]);
    const Status status = timeWays(sizes);
    if (status) return EXIT_SUCCESS;
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return EXIT_FAILURE;
}
