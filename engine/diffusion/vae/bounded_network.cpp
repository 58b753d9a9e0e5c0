#include "engine/diffusion/vae/bounded_network.h"

#include "engine/diffusion/vae/each_frame.h"
#include "engine/diffusion/vae/network_layout.h"
#include "kernels/plan/fusion.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

namespace reelbrush::diffusion {

using namespace kernels;

struct BoundedNetwork::Part {
    std::optional<Plan> whole;
    std::optional<TiledPiece> tiled;
    std::size_t inputBytes = 0;

    std::size_t arenaBytes() const { return whole ? whole->arenaBytes() : tiled->regionBytes() + tiled->planBytes(); }
};

namespace {

/// Estimates of layouts are of values in f32.
LayoutLimits limitsFor(Backend& backend, std::size_t ceilingBytes) {
    const Device* device = backend.device();
    if (!device) return {.ceilingBytes = ceilingBytes};
    return {.ceilingBytes = ceilingBytes * sizeof(float) / sizeOf(device->valueType()),
            .storesApart = true,
            .convolutionBytes = std::numeric_limits<std::size_t>::max()};
}

void fillWith(FrameInputs frames, std::span<float> batch) {
    const std::size_t count = batch.size() / frames[0].size();
    forEachFrame(count, [&](std::size_t i) {
        const auto& frame = frames[std::min(i, frames.size() - 1)];
        std::ranges::copy(frame, batch.subspan(i * frame.size()).begin());
    });
}

void takeFrom(std::span<const float> batch, FrameOutputs frames) {
    forEachFrame(frames.size(), [&](std::size_t i) {
        std::ranges::copy(batch.subspan(i * frames[i].size(), frames[i].size()), frames[i].begin());
    });
}

}  // namespace

BoundedNetwork::BoundedNetwork() = default;
BoundedNetwork::BoundedNetwork(BoundedNetwork&&) noexcept = default;
BoundedNetwork& BoundedNetwork::operator=(BoundedNetwork&&) noexcept = default;
BoundedNetwork::~BoundedNetwork() = default;

Result<BoundedNetwork> BoundedNetwork::compile(const Graph& network, const WeightProvider& weights, Backend& backend,
                                               std::size_t ceilingBytes) {
    RB_TRY(network.status());
    Graph fused = network;
    fuse(fused);
    // What algorithms need beside the values is known only once they are compiled; a guess that was too low is made
    // again more carefully.
    constexpr int kAttempts = 6;
    std::size_t aim = ceilingBytes;
    for (int attempt = 1;; ++attempt) {
        BoundedNetwork result;
        const LayoutLimits limits = limitsFor(backend, aim);
        result.storesApart_ = limits.storesApart;
        const std::vector<LaidOutPiece> pieces = layOut(fused, limits);
        for (const LaidOutPiece& piece : pieces) {
            Part part;
            if (piece.isTiled) {
                RB_ENSURE(fused.shapeOf(piece.piece.input)[0] == 1, "tiles of several frames at once");
                RB_ASSIGN(part.tiled, TiledPiece::compile({fused, weights, backend}, piece.piece, piece.tiles));
                // The last output is the caller's.
                const std::size_t index = result.parts_.size();
                if (limits.storesApart && index + 1 < pieces.size())
                    result.between_[index % 2].resize(
                        std::max(result.between_[index % 2].size(),
                                 static_cast<std::size_t>(fused.shapeOf(piece.piece.output).elements())));
            } else {
                RB_ASSIGN(part.whole, Plan::compile(wholeGraphOf(fused, piece.piece), weights, backend));
            }
            part.inputBytes = bytesOf(fused.shapeOf(piece.piece.input));
            result.parts_.push_back(std::move(part));
        }
        const std::size_t needed = result.arenaBytes();
        if (ceilingBytes == 0 || needed <= ceilingBytes || attempt == kAttempts) return result;
        aim -= std::clamp(needed - ceilingBytes, aim / 12, aim / 2);
    }
}

bool BoundedNetwork::fitsWhole(const Graph& network, Backend& backend, std::size_t ceilingBytes) {
    Graph fused = network;
    fuse(fused);
    return std::ranges::none_of(layOut(fused, limitsFor(backend, ceilingBytes)), &LaidOutPiece::isTiled);
}

std::size_t BoundedNetwork::hostBytes() const {
    return (between_[0].size() + between_[1].size()) * sizeof(float);
}

std::size_t BoundedNetwork::arenaBytes() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_) bytes = std::max(bytes, part.arenaBytes());
    return bytes;
}

std::size_t BoundedNetwork::weightBytes() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_) bytes += part.whole ? part.whole->weightBytes() : part.tiled->weightBytes();
    return bytes;
}

bool BoundedNetwork::isInt8() const {
    return std::ranges::any_of(parts_, [](const Part& part) {
        return part.whole ? std::ranges::any_of(part.whole->report(), &StepReport::int8) : part.tiled->isInt8();
    });
}

bool BoundedNetwork::isTiled() const {
    return std::ranges::any_of(parts_, [](const Part& part) { return part.tiled.has_value(); });
}

Status BoundedNetwork::bind(std::span<std::byte> arena) {
    RB_ENSURE(arena.size() >= arenaBytes(), "arena smaller than the network's peak");
    arena_ = arena;
    for (Part& part : parts_) {
        if (part.whole) RB_TRY(part.whole->bind(arena));
        if (part.tiled) RB_TRY(part.tiled->bind(arena.subspan(part.tiled->regionBytes())));
    }
    return {};
}

/// A value that a part before left somewhere in the arena, at the end of the region that tiles read from.
const float* BoundedNetwork::moved(const float* value, const Part& part) const {
    std::byte* const place = arena_.data() + part.tiled->regionBytes() - part.inputBytes;
    std::memmove(place, value, part.inputBytes);
    return reinterpret_cast<const float*>(place);
}

Status BoundedNetwork::run(FrameInputs inputs, FrameOutputs outputs, const std::function<bool()>& cancelled) {
    const float* current = inputs[0].data();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        Part& part = parts_[i];
        const bool isFirst = i == 0, isLast = i + 1 == parts_.size();
        if (part.whole) {
            const auto place = part.whole->input("x");
            if (isFirst)
                fillWith(inputs, place);
            else
                std::memmove(place.data(), current, place.size_bytes());
            RB_TRY(part.whole->run(cancelled));
            const auto result = part.whole->output("y");
            current = result.data();
            if (isLast) takeFrom(result, outputs);
            continue;
        }
        if (!isFirst && !storesApart_) current = moved(current, part);
        float* const stored = storesApart_ ? between_[i % 2].data() : reinterpret_cast<float*>(arena_.data());
        float* const target = isLast ? outputs[0].data() : stored;
        RB_TRY(part.tiled->run(current, target, cancelled));
        current = target;
    }
    return {};
}

}  // namespace reelbrush::diffusion
