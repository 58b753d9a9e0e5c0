#pragma once

#include "engine/diffusion/vae/tiled_piece.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace reelbrush::diffusion {

using FrameInputs = std::span<const std::span<const float>>;
using FrameOutputs = std::span<const std::span<float>>;

/// A network from one image to another that keeps within a ceiling of activations: what is too large runs tile by tile,
/// with the same result. The fewer bytes, the more is computed again. On a device the ceiling holds for its memory;
/// what lies between parts that are tiled passes through the host's. Thread: one at a time.
class BoundedNetwork {
  public:
    /// network: one input and one output, [frames,H,W,C], H and W multiples of its reduction; of several frames only
    /// where fitsWhole. ceilingBytes 0: none.
    /// Where no tiling gets below the ceiling (attention over too many pixels), arenaBytes() is above it.
    /// Errors: those of Plan::compile.
    static Result<BoundedNetwork> compile(const kernels::Graph& network, const kernels::WeightProvider& weights,
                                          kernels::Backend& backend, std::size_t ceilingBytes);
    /// Whether the ceiling leaves room for the network without tiles; an estimate, by which compile goes.
    static bool fitsWhole(const kernels::Graph& network, kernels::Backend& backend, std::size_t ceilingBytes);
    BoundedNetwork(BoundedNetwork&&) noexcept;
    BoundedNetwork& operator=(BoundedNetwork&&) noexcept;
    ~BoundedNetwork();

    std::size_t arenaBytes() const;
    std::size_t weightBytes() const;
    /// In the host's memory beside the arena.
    std::size_t hostBytes() const;
    /// True where some layer computes in int8.
    bool isInt8() const;
    /// True where some part of it runs tile by tile.
    bool isTiled() const;

    /// arena: as Plan::bind.
    Status bind(std::span<std::byte> arena);
    /// One input and one output [H,W,C] for each frame, outside the arena; of fewer frames than the network takes at
    /// once the last is computed again. Errors: Cancelled, Internal.
    Status run(FrameInputs inputs, FrameOutputs outputs, const std::function<bool()>& cancelled);

  private:
    struct Part;
    BoundedNetwork();
    const float* moved(const float* value, const Part& part) const;

    std::vector<Part> parts_;
    std::span<std::byte> arena_;
    bool storesApart_ = false;
    std::array<std::vector<float>, 2> between_;  ///< by turns, where values between parts do not lie in the arena
};

}  // namespace reelbrush::diffusion
