#include "engine/diffusion/vae/bounded_network.h"

#include "engine/diffusion/vae/network_layout.h"
#include "kernels/plan/fusion.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace reelbrush::diffusion {

using namespace kernels;

struct BoundedNetwork::Part {
    std::optional<Plan> whole;
    std::optional<TiledPiece> tiled;
    std::size_t inputBytes = 0;

    std::size_t arenaBytes() const { return whole ? whole->arenaBytes() : tiled->regionBytes() + tiled->planBytes(); }
};

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
        for (const LaidOutPiece& piece : layOut(fused, aim)) {
            Part part;
            if (piece.isTiled) {
                RB_ASSIGN(part.tiled, TiledPiece::compile({fused, weights, backend}, piece.piece, piece.tiles));
            } else {
                const Shape& input = fused.shapeOf(piece.piece.input);
                RB_ASSIGN(part.whole, Plan::compile(graphOf(fused, piece.piece,
                                                            {static_cast<int>(input[1]), static_cast<int>(input[2])}),
                                                    weights, backend));
            }
            part.inputBytes = bytesOf(fused.shapeOf(piece.piece.input));
            result.parts_.push_back(std::move(part));
        }
        const std::size_t needed = result.arenaBytes();
        if (ceilingBytes == 0 || needed <= ceilingBytes || attempt == kAttempts) return result;
        aim -= std::clamp(needed - ceilingBytes, aim / 12, aim / 2);
    }
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

/// Between parts a value lies wherever its maker left it in the arena; the next part first moves it to where it reads.
Status BoundedNetwork::run(std::span<const float> input, std::span<float> output,
                           const std::function<bool()>& cancelled) {
    const float* current = input.data();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        Part& part = parts_[i];
        const bool isFirst = i == 0, isLast = i + 1 == parts_.size();
        if (part.whole) {
            std::memmove(part.whole->input("x").data(), current, part.inputBytes);
            RB_TRY(part.whole->run(cancelled));
            current = part.whole->output("y").data();
            if (isLast) std::memcpy(output.data(), current, output.size_bytes());
            continue;
        }
        if (!isFirst) {
            std::byte* place = arena_.data() + part.tiled->regionBytes() - part.inputBytes;
            std::memmove(place, current, part.inputBytes);
            current = reinterpret_cast<const float*>(place);
        }
        float* target = isLast ? output.data() : reinterpret_cast<float*>(arena_.data());
        RB_TRY(part.tiled->run(current, target, cancelled));
        current = target;
    }
    return {};
}

}  // namespace reelbrush::diffusion
