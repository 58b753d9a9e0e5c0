#pragma once

#include "engine/diffusion/vae/tiled_piece.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace reelbrush::diffusion {

/// A network from one image to another that keeps within a ceiling of activations: what is too large runs tile by tile,
/// with the same result. The fewer bytes, the more is computed again. Thread: one at a time.
class BoundedNetwork {
  public:
    /// network: one input and one output, [1,H,W,C], H and W multiples of its reduction. ceilingBytes 0: none.
    /// Where no tiling gets below the ceiling (attention over too many pixels), arenaBytes() is above it.
    /// Errors: those of Plan::compile.
    static Result<BoundedNetwork> compile(const kernels::Graph& network, const kernels::WeightProvider& weights,
                                          kernels::Backend& backend, std::size_t ceilingBytes);
    BoundedNetwork(BoundedNetwork&&) noexcept;
    BoundedNetwork& operator=(BoundedNetwork&&) noexcept;
    ~BoundedNetwork();

    std::size_t arenaBytes() const;
    std::size_t weightBytes() const;
    /// True where some layer computes in int8.
    bool isInt8() const;
    /// True where some part of it runs tile by tile.
    bool isTiled() const;

    /// arena: as Plan::bind.
    Status bind(std::span<std::byte> arena);
    /// input, output: outside the arena, of the network's shapes. Errors: Cancelled, Internal.
    Status run(std::span<const float> input, std::span<float> output, const std::function<bool()>& cancelled);

  private:
    struct Part;
    BoundedNetwork();

    std::vector<Part> parts_;
    std::span<std::byte> arena_;
};

}  // namespace reelbrush::diffusion
