#include "engine/diffusion/vae/codec_half.h"

#include "engine/diffusion/vae/codec_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

bool allFinite(std::span<const float> values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

Result<CodecHalf> CodecHalf::compile(Graph graph, std::shared_ptr<const weights::ListedWeights> weights,
                                     Backend& backend, const Options& options) {
    RB_ASSIGN(BoundedNetwork network, BoundedNetwork::compile(graph, *weights, backend, options.ceilingBytes));
    CodecHalf half(std::move(graph), std::move(network));
    half.weights_ = std::move(weights);
    half.backend_ = &backend;
    half.options_ = options;
    return half;
}

Status CodecHalf::bind(std::span<std::byte> arena) {
    arena_ = arena;
    ownArena_ = {};
    if (arena.size() < arenaBytes() && note_) {
        RB_ASSIGN(ownArena_, backend_->allocateArena(arenaBytes()));
        arena_ = {ownArena_->data(), ownArena_->sizeBytes()};
    }
    return network_.bind(arena_);
}

Result<bool> CodecHalf::goOverToFloat() {
    const char* narrow = "int8";
    if (!network_.isInt8()) {
        RB_ASSIGN(Backend* const wider, backend_->wider());
        if (!wider) return false;
        backend_ = wider;
        narrow = "half precision";
    }
    RB_ASSIGN(network_, BoundedNetwork::compile(inFloat(graph_), *weights_, *backend_, options_.ceilingBytes));
    note_ = fmt::format("the VAE's {} overflowed in {} and computes in float32 from now on, which takes longer",
                        options_.name, narrow);
    RB_TRY(bind(arena_));
    return true;
}

Status CodecHalf::run(std::span<const float> input, std::span<float> output, const std::function<bool()>& cancelled) {
    RB_TRY(network_.run(input, output, cancelled));
    if (allFinite(output)) return {};
    if (allFinite(input)) {
        RB_ASSIGN(const bool isWiderNow, goOverToFloat());
        if (isWiderNow) RB_TRY(network_.run(input, output, cancelled));
        if (allFinite(output)) return {};
    }
    if (!allFinite(input))
        return fail(StatusCode::BadInput,
                    fmt::format("what the VAE's {} was given is not finite: the model before it overflowed or its "
                                "weights are damaged",
                                options_.name));
    return fail(StatusCode::BadInput,
                fmt::format("the VAE's {} gives values that are not finite; its file is damaged or made for another "
                            "model: choose another VAE",
                            options_.name));
}

}  // namespace reelbrush::diffusion
