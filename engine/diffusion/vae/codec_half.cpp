#include "engine/diffusion/vae/codec_half.h"

#include "engine/diffusion/vae/codec_graphs.h"
#include "engine/diffusion/vae/each_frame.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

template <typename Frame>
bool allFinite(std::span<const Frame> frames) {
    std::atomic<bool> isFinite = true;
    forEachFrame(frames.size(), [&](std::size_t i) {
        // Infinities and NaN make zero times the value a NaN, which no sum gets rid of.
        float sum = 0.0f;
        for (const float value : frames[i]) sum += value * 0.0f;
        if (std::isnan(sum)) isFinite = false;
    });
    return isFinite;
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

Status CodecHalf::run(FrameInputs inputs, FrameOutputs outputs, const std::function<bool()>& cancelled) {
    RB_TRY(network_.run(inputs, outputs, cancelled));
    if (allFinite(outputs)) return {};
    if (allFinite(inputs)) {
        RB_ASSIGN(const bool isWiderNow, goOverToFloat());
        if (isWiderNow) RB_TRY(network_.run(inputs, outputs, cancelled));
        if (allFinite(outputs)) return {};
    }
    if (!allFinite(inputs))
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
