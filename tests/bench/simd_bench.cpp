// Attention in GFLOP/s and the memory-bound steps in GB/s, beside the processor's measured multiply-add peak.
// REELBRUSH_MAX_SIMD=avx2 shows what narrower vectors give; REELBRUSH_BENCH_THREADS sets the threads (default 2).
// On one thread the clock is that of the processor, so that a busy machine does not spoil the figures.

#include "kernels/cpu/simd_limit.h"
#include "kernels/cpu/simd_step.h"
#include "kernels/tensor/buffer.h"
#include "tests/bench/fma_peak.h"
#include "tests/kernels/support/memory_weights.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>

namespace reelbrush::bench {
namespace {

using namespace kernels;

int benchThreads() {
    const char* text = std::getenv("REELBRUSH_BENCH_THREADS");
    return text == nullptr ? 2 : std::max(1, std::atoi(text));
}

/// One op with inputs of the given shapes, ready to run again and again.
class PreparedStep {
  public:
    PreparedStep(const Op& op, std::vector<Shape> shapes, std::vector<std::string> names = {})
        : shapes_(std::move(shapes)) {
        const std::int64_t channels = shapes_[0].channels();
        weights_.add("gamma", normalTensor({channels}, 8, 1.0f, 0.1f));
        weights_.add("beta", normalTensor({channels}, 9, 0.0f, 0.1f));
        const auto output =
            std::visit([&](const auto& o) { return outputShape(o, std::span<const Shape>(shapes_)); }, op);
        const Node node{op, {}, {}, std::move(names), "bench"};
        auto step = makeSimdStep(StepRequest{node, shapes_, *output, weights_}, benchThreads());
        step_ = std::move(*step);
        StepBuffers bound;
        for (std::size_t i = 0; i < shapes_.size(); ++i) {
            const TestTensor values = normalTensor(shapes_[i], i + 1);
            bytes_ += static_cast<double>(values.values.size() * sizeof(float));
            float* data = allocate(values.values.size() * sizeof(float));
            std::memcpy(data, values.values.data(), values.values.size() * sizeof(float));
            bound.inputs.push_back(data);
        }
        const auto outputBytes = static_cast<std::size_t>(output->elements()) * sizeof(float);
        bytes_ += static_cast<double>(outputBytes);
        bound.output = allocate(outputBytes);
        bound.scratch = reinterpret_cast<std::byte*>(allocate(step_->scratchBytes()));
        step_->bind(bound);
    }

    void run(benchmark::State& state) {
        for (auto _ : state) {
            if (!step_->run()) state.SkipWithError("the step failed");
        }
        const auto runs = static_cast<double>(state.iterations());
        if (step_->operations() > 0.0)
            state.counters["FLOP/s"] = benchmark::Counter(runs * step_->operations(), benchmark::Counter::kIsRate);
        state.counters["B/s"] = benchmark::Counter(runs * bytes_, benchmark::Counter::kIsRate);
    }

  private:
    float* allocate(std::size_t bytes) {
        auto buffer = Buffer::allocate(std::max<std::size_t>(bytes, 64), nullptr, "a benchmark");
        buffers_.push_back(std::move(*buffer));
        return buffers_.back().as<float>();
    }

    std::vector<Shape> shapes_;
    MemoryWeights weights_;
    std::unique_ptr<Step> step_;
    std::vector<Buffer> buffers_;
    double bytes_ = 0.0;
};

void multiplyAddPeakOfOneCore(benchmark::State& state) {
    double operations = 0.0;
    for (auto _ : state) operations += runMultiplyAdds();
    state.counters["FLOP/s"] = benchmark::Counter(operations, benchmark::Counter::kIsRate);
}

void attention(benchmark::State& state, std::int64_t tokens, std::int64_t keys, int heads, int headSize) {
    const std::int64_t channels = static_cast<std::int64_t>(heads) * headSize;
    PreparedStep step(Attention{heads, headSize, 0.0f, {}},
                      {{1, tokens, channels}, {1, keys, channels}, {1, keys, channels}});
    step.run(state);
}

void groupNorm(benchmark::State& state, std::int64_t side, std::int64_t channels) {
    PreparedStep step(GroupNorm{.activation = Activation::Silu}, {{1, side, side, channels}}, {"gamma", "beta"});
    step.run(state);
}

void simple(benchmark::State& state, const Op& op, const std::vector<Shape>& shapes,
            const std::vector<std::string>& names) {
    PreparedStep step(op, shapes, names);
    step.run(state);
}

void setClock(benchmark::internal::Benchmark* bench) {
    bench->Unit(benchmark::kMicrosecond);
    if (benchThreads() > 1) bench->UseRealTime();
}

BENCHMARK(multiplyAddPeakOfOneCore)->Unit(benchmark::kMicrosecond);

#define ATTENTION_BENCH(tokens, keys, heads, headSize)                                                        \
    BENCHMARK_CAPTURE(attention, T##tokens##_K##keys##_H##heads##_D##headSize, tokens, keys, heads, headSize) \
        ->Apply(setClock)

ATTENTION_BENCH(4096, 4096, 3, 32);
ATTENTION_BENCH(1024, 1024, 6, 32);
ATTENTION_BENCH(256, 256, 8, 32);
ATTENTION_BENCH(64, 64, 8, 32);
ATTENTION_BENCH(4096, 4096, 8, 40);
ATTENTION_BENCH(1024, 1024, 8, 80);
ATTENTION_BENCH(256, 256, 8, 160);
ATTENTION_BENCH(1024, 1024, 10, 64);
ATTENTION_BENCH(197, 197, 3, 64);
ATTENTION_BENCH(4096, 4096, 1, 512);
ATTENTION_BENCH(4096, 77, 8, 40);
ATTENTION_BENCH(4096, 16, 3, 32);
ATTENTION_BENCH(1024, 16, 6, 32);

#define GROUP_NORM_BENCH(side, channels) \
    BENCHMARK_CAPTURE(groupNorm, S##side##_C##channels, side, channels)->Apply(setClock)

GROUP_NORM_BENCH(64, 96);
GROUP_NORM_BENCH(32, 192);
GROUP_NORM_BENCH(32, 416);
GROUP_NORM_BENCH(64, 320);
GROUP_NORM_BENCH(16, 1280);
GROUP_NORM_BENCH(8, 1280);

#define SIMPLE_BENCH(name, ...) BENCHMARK_CAPTURE(simple, name, __VA_ARGS__)->Apply(setClock)

SIMPLE_BENCH(layerNorm_1024x192, LayerNorm{}, {{1, 1024, 192}}, {"gamma", "beta"});
SIMPLE_BENCH(layerNorm_4096x320, LayerNorm{}, {{1, 4096, 320}}, {"gamma", "beta"});
SIMPLE_BENCH(geglu_1024x1536, Geglu{}, {{1, 1024, 1536}}, {});
SIMPLE_BENCH(silu_64x64x320, ActivationOp{Activation::Silu}, {{1, 64, 64, 320}}, {});
SIMPLE_BENCH(add_64x64x96, Add{}, {{1, 64, 64, 96}, {1, 64, 64, 96}}, {});
SIMPLE_BENCH(upsample_32to64x192, UpsampleNearest{64, 64}, {{1, 32, 32, 192}}, {});
SIMPLE_BENCH(concat_64x64, ConcatChannels{}, {{1, 64, 64, 96}, {1, 64, 64, 96}}, {});
SIMPLE_BENCH(pixelUnshuffle_512, PixelUnshuffle{2}, {{1, 512, 512, 3}}, {});
SIMPLE_BENCH(pixelShuffle_512, PixelShuffle{2}, {{1, 256, 256, 12}}, {});

}  // namespace
}  // namespace reelbrush::bench

int main(int argumentCount, char** arguments) {
    benchmark::Initialize(&argumentCount, arguments);
    if (benchmark::ReportUnrecognizedArguments(argumentCount, arguments)) return 1;
    benchmark::AddCustomContext("vectors", reelbrush::kernels::simdName());
    benchmark::AddCustomContext("threads", std::to_string(reelbrush::bench::benchThreads()));
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
