// The convolutions and linears of the starter model, or with the argument `sd15` of SD 1.5 and its VAE, at 512x512, by
// each algorithm: milliseconds, 10^9 operations a second, and the share of the machine's measured peak in f32 (for
// direct and Winograd, which may pass 100 %) or int8. Int8 includes the rounding of the input. The fastest of many runs
// counts, since others may be at work. REELBRUSH_BENCH_THREADS sets the threads (default: all). Limits of the
// instruction set apply: ONEDNN_MAX_CPU_ISA.

#include "kernels/cpu/conv2d_float_cpu.h"
#include "kernels/cpu/conv2d_int8_cpu.h"
#include "kernels/cpu/conv2d_winograd_cpu.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/linear_float_cpu.h"
#include "kernels/cpu/linear_int8_cpu.h"
#include "kernels/cpu/peak_flops.h"
#include "kernels/cpu/processor.h"
#include "kernels/tensor/buffer.h"
#include "tests/kernels/support/memory_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace reelbrush::kernels {
namespace {

struct Layer {
    const char* where;
    Op op;
    Shape input, output;
    bool hasResidual = false;
};

Layer convLayer(const char* where, std::int64_t size, int in, int out, bool residual = false, int stride = 1) {
    Conv2d op{.outChannels = out};
    op.stride = stride;
    op.hasResidual = residual;
    const std::int64_t outSize = (size - 1) / stride + 1;
    return {where, op, {1, size, size, in}, {1, outSize, outSize, out}, residual};
}

Layer reluLayer(const char* where, std::int64_t size, int channels, bool residual) {
    Layer layer = convLayer(where, size, channels, channels, residual);
    std::get<Conv2d>(layer.op).activation = Activation::Relu;
    return layer;
}

Layer linearLayer(const char* where, std::int64_t rows, int in, std::vector<int> out, bool residual = false) {
    Linear op;
    op.outFeatures = std::move(out);
    op.hasResidual = residual;
    const int total = op.totalOutFeatures();
    return {where, std::move(op), {1, rows, in}, {1, rows, total}, residual};
}

std::vector<Layer> layersOfTheStarter() {
    return {
        convLayer("unet 64, first", 64, 32, 96),
        convLayer("unet 64", 64, 96, 96),
        convLayer("unet 64, residual", 64, 96, 96, true),
        convLayer("unet 64, up", 64, 256, 96),
        convLayer("unet 64, up", 64, 192, 96),
        convLayer("unet 64, last", 64, 96, 16),
        convLayer("unet 64, down", 64, 96, 96, false, 2),
        convLayer("unet 32", 32, 160, 160),
        convLayer("unet 32, up", 32, 416, 160),
        convLayer("unet 32, up", 32, 256, 160),
        convLayer("unet 16", 16, 256, 256),
        convLayer("unet 16, up", 16, 512, 256),
        convLayer("unet 16, up", 16, 416, 256),
        convLayer("vae 256, first", 256, 12, 64),
        reluLayer("vae 256", 256, 64, false),
        reluLayer("vae 256, residual", 256, 64, true),
        convLayer("vae 256, down", 256, 64, 64, false, 2),
        reluLayer("vae 128", 128, 64, false),
        reluLayer("vae 64", 64, 64, true),
        convLayer("vae 256, last", 256, 64, 12),
        linearLayer("attention 64, qkv", 4096, 96, {96, 96, 96}),
        linearLayer("attention 64, out", 4096, 96, {96}, true),
        linearLayer("geglu 64, in", 4096, 96, {768}),
        linearLayer("geglu 64, out", 4096, 384, {96}, true),
        linearLayer("attention 32, qkv", 1024, 160, {160, 160, 160}),
        linearLayer("geglu 16, in", 256, 256, {2048}),
        linearLayer("geglu 16, out", 256, 1024, {256}, true),
        linearLayer("time embedding", 1, 384, {384}),
    };
}

std::vector<Layer> layersOfSd15() {
    return {
        convLayer("unet 64", 64, 320, 320),
        convLayer("unet 64, residual", 64, 320, 320, true),
        convLayer("unet 64, up", 64, 640, 320),
        convLayer("unet 64, up", 64, 960, 320),
        convLayer("unet 64, upsampled", 64, 640, 640),
        convLayer("unet 32", 32, 640, 640),
        convLayer("unet 32, up", 32, 1280, 640),
        convLayer("unet 32, up", 32, 1920, 640),
        convLayer("unet 32, upsampled", 32, 1280, 1280),
        convLayer("unet 16", 16, 1280, 1280),
        convLayer("unet 16, up", 16, 2560, 1280),
        convLayer("unet 8", 8, 1280, 1280),
        convLayer("vae 512", 512, 128, 128),
        convLayer("vae 256", 256, 256, 256),
        convLayer("vae 128", 128, 512, 512),
        convLayer("vae 64", 64, 512, 512),
        convLayer("vae tile", 128, 128, 128),
        linearLayer("attention 64, qkv", 4096, 320, {320, 320, 320}),
        linearLayer("attention 64, out", 4096, 320, {320}, true),
        linearLayer("geglu 64, in", 4096, 320, {2560}),
        linearLayer("geglu 64, out", 4096, 1280, {320}, true),
        linearLayer("attention 32, qkv", 1024, 640, {640, 640, 640}),
        linearLayer("attention 32, out", 1024, 640, {640}, true),
        linearLayer("geglu 32, in", 1024, 640, {5120}),
        linearLayer("geglu 32, out", 1024, 2560, {640}, true),
        linearLayer("attention 16, qkv", 256, 1280, {1280, 1280, 1280}),
        linearLayer("geglu 16, in", 256, 1280, {10240}),
        linearLayer("geglu 16, out", 256, 5120, {1280}, true),
        linearLayer("vae attention, qkv", 4096, 512, {512, 512, 512}),
    };
}

/// A layer with weights as the model stores them, in memory of its own.
class BenchLayer {
  public:
    explicit BenchLayer(const Layer& layer) : layer_(layer) {
        shapes_.push_back(layer.input);
        if (layer.hasResidual) shapes_.push_back(layer.output);
        const std::int64_t in = layer.input.channels();
        node_ = {layer.op, {}, {}, {}, layer.where};
        if (const auto* conv = std::get_if<Conv2d>(&layer.op)) {
            addWeight({conv->outChannels, in, 3, 3});
            addBias(conv->outChannels);
        } else {
            const auto& linear = std::get<Linear>(layer.op);
            for (const int features : linear.outFeatures) addWeight({features, in});
            for (const int features : linear.outFeatures) addBias(features);
        }
        for (const Shape& shape : shapes_) {
            const TestTensor values = normalTensor(shape, 5);
            inputs_.push_back(allocate(values.values.size() * sizeof(float)));
            std::memcpy(inputs_.back().data(), values.values.data(), values.values.size() * sizeof(float));
        }
        output_ = allocate(static_cast<std::size_t>(layer.output.elements()) * sizeof(float));
    }

    StepRequest request() const { return {node_, shapes_, layer_.output, weights_}; }

    double bestSeconds(Step& step) {
        using Clock = std::chrono::steady_clock;
        Buffer scratch = allocate(step.scratchBytes());
        StepBuffers buffers;
        for (const Buffer& input : inputs_) buffers.inputs.push_back(input.as<float>());
        buffers.output = output_.as<float>();
        buffers.scratch = scratch.data();
        step.bind(buffers);
        double best = 1e30, total = 0.0;
        for (int run = 0; run < 2000 && (run < 10 || total < 0.5); ++run) {
            const auto start = Clock::now();
            if (!step.run()) std::abort();
            const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
            best = std::min(best, seconds);
            total += seconds;
        }
        return best;
    }

  private:
    static Buffer allocate(std::size_t bytes) {
        auto buffer = Buffer::allocate(bytes, nullptr, "benchmark");
        if (!buffer) std::abort();
        return std::move(*buffer);
    }
    void addWeight(const Shape& shape) {
        const std::string name = fmt::format("weight{}", node_.weights.size());
        weights_.addInt8(name, normalTensor(shape, 1, 0.0f, 0.05f));
        node_.weights.push_back(name);
    }
    void addBias(int features) {
        const std::string name = fmt::format("bias{}", node_.weights.size());
        weights_.add(name, normalTensor({features}, 2));
        node_.weights.push_back(name);
    }

    Layer layer_;
    Node node_;
    std::vector<Shape> shapes_;
    MemoryWeights weights_;
    std::vector<Buffer> inputs_;
    Buffer output_;
};

void printResult(const Result<std::unique_ptr<Step>>& step, BenchLayer& layer, double peak) {
    if (!step) {
        fmt::print(" | {:>26}", "-");
        return;
    }
    const double seconds = layer.bestSeconds(**step), rate = (*step)->operations() / seconds * 1e-9;
    fmt::print(" | {:8.3f} ms {:6.0f} {:5.0f} %", seconds * 1e3, rate, peak > 0.0 ? 100.0 * rate / peak : 0.0);
}

int run(const std::vector<Layer>& layers) {
    const char* text = std::getenv("REELBRUSH_BENCH_THREADS");
    CpuBackend backend({.threads = text ? std::atoi(text) : 0});
    const auto peaks = measurePeakRates(backend.threads());
    if (!peaks) return 1;
    fmt::print("{}, {}, {} threads; peaks: f32 {:.0f}, int8 {:.0f} GFLOP/s\n", processorName(), onednnInstructionSet(),
               backend.threads(), peaks->float32, peaks->int8);
    fmt::print("{:<38} | {:<26} | {:<26} | {:<26}\n", "layer", "direct f32", "winograd f32", "int8");
    backend.enter();
    for (const Layer& layer : layers) {
        BenchLayer bench(layer);
        const StepRequest request = bench.request();
        fmt::print("{:<38}", fmt::format("{} {} to {}", layer.where, layer.input.toString(), layer.output.channels()));
        if (const auto* conv = std::get_if<Conv2d>(&layer.op)) {
            const Conv2dProblem problem(request, backend.threads(), nullptr);
            printResult(makeDirectConv2dStep(problem, request.weights), bench, peaks->float32);
            if (winogradFits(*conv))
                printResult(makeWinogradConv2dStep(problem, request.weights), bench, peaks->float32);
            else
                fmt::print(" | {:>26}", "-");
            if (cpuHasFastInt8()) printResult(makeInt8Conv2dStep(problem, request.weights), bench, peaks->int8);
        } else {
            const LinearProblem problem(request, backend.threads(), nullptr);
            printResult(makeFloatLinearStep(problem, request.weights), bench, peaks->float32);
            fmt::print(" | {:>26}", "-");
            if (cpuHasFastInt8()) printResult(makeInt8LinearStep(problem, request.weights), bench, peaks->int8);
        }
        fmt::print("\n");
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace
}  // namespace reelbrush::kernels

int main(int count, char** arguments) {
    using namespace reelbrush::kernels;
    const bool isSd15 = count > 1 && std::string_view(arguments[1]) == "sd15";
    return run(isSd15 ? layersOfSd15() : layersOfTheStarter());
}
