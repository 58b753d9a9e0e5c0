// The VAE of SD 1.5 with random weights, whole or tile by tile:
//     vae_bench [SIZE 1024] [CEILING_MIB 640, 0: none] [float32|int8]
// Time of encoding and decoding a picture of SIZE x SIZE, and the bytes of all activations. Fastest of three.

#include "engine/diffusion/vae/bounded_network.h"
#include "engine/diffusion/vae/codec_graphs.h"
#include "engine/session/benchmark_configs.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/plan/random_weights.h"
#include "kernels/tensor/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>

namespace reelbrush::diffusion {
namespace {

Status timeHalf(const char* name, const kernels::Graph& graph, kernels::Backend& backend, std::size_t ceilingBytes) {
    using Clock = std::chrono::steady_clock;
    const kernels::RandomWeights weights(graph);
    RB_ASSIGN(BoundedNetwork network, BoundedNetwork::compile(graph, weights, backend, ceilingBytes));
    RB_ASSIGN(kernels::Buffer arena, kernels::Buffer::allocate(network.arenaBytes(), nullptr, "the benchmark"));
    RB_TRY(network.bind({arena.data(), arena.sizeBytes()}));
    const auto elements = [&](kernels::Value value) {
        return static_cast<std::size_t>(graph.shapeOf(value).elements());
    };
    std::vector<float> input(elements(graph.inputs().front().second)), output(elements(graph.outputs().front().second));
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i * 7 % 31) * 0.03125f;
    double best = 1e30;
    for (int run = 0; run < 3; ++run) {
        const auto start = Clock::now();
        const std::span<const float> in(input);
        const std::span<float> out(output);
        RB_TRY(network.run({&in, 1}, {&out, 1}, {}));
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    fmt::print("{}: {:.2f} s, activations {} MB, weights {} MB, {}\n", name, best, network.arenaBytes() / 1000000,
               network.weightBytes() / 1000000, network.isTiled() ? "in tiles" : "whole");
    return {};
}

Status run(int size, std::size_t ceilingBytes, kernels::Precision precision) {
    kernels::CpuOptions options;
    options.precision = precision;
    kernels::CpuBackend backend(options);
    RB_ASSIGN(const CodecGraphs codec, buildCodec(session::vaeConfig(false), size, size));
    RB_TRY(timeHalf("encode", codec.encoder, backend, ceilingBytes));
    return timeHalf("decode", codec.decoder, backend, ceilingBytes);
}

}  // namespace
}  // namespace reelbrush::diffusion

int main(int count, char** arguments) {
    using namespace reelbrush;
    const int size = count > 1 ? std::atoi(arguments[1]) : 1024;
    const int mebibytes = count > 2 ? std::atoi(arguments[2]) : 640;
    const bool isInt8 = count > 3 && std::string_view(arguments[3]) == "int8";
    const auto status = diffusion::run(size, static_cast<std::size_t>(mebibytes) << 20,
                                       isInt8 ? kernels::Precision::Int8 : kernels::Precision::Float32);
    if (!status) fmt::print(stderr, "{}\n", status.error().message);
    return status ? 0 : 1;
}
