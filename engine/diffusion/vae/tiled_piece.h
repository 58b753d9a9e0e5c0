#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/vae/tile_grid.h"
#include "kernels/plan/plan.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace reelbrush::diffusion {

/// What a part of a network is compiled from; all outlive the call only.
struct PieceSource {
    const kernels::Graph& network;
    const kernels::WeightProvider& weights;
    kernels::Backend& backend;
};

/// A local piece of a network that runs tile by tile and computes what it would compute of the whole image: tiles
/// overlap as far as pixels see, and group norms get the statistics of all tiles. For each norm but one at the very
/// beginning the tiles run once more, up to that norm, so that nothing but input and output is ever stored.
class TiledPiece {
  public:
    struct Options {
        int tileHeight = 0, tileWidth = 0;  ///< pixels of the input
        bool isInputStored = true, isOutputStored = true;
    };
    /// Errors: those of Plan::compile.
    static Result<TiledPiece> compile(const PieceSource& source, const NetworkPiece& piece, const Options& options);

    /// Where input and output are stored: the input at the end, the output growing over it from the beginning. What is
    /// not stored here belongs to the caller and takes no place.
    std::size_t regionBytes() const { return regionBytes_; }
    std::size_t planBytes() const;
    std::size_t weightBytes() const;
    bool isInt8() const;

    /// arena: planBytes(), for the plans.
    Status bind(std::span<std::byte> arena);
    /// Errors: Cancelled, Internal.
    Status run(const float* input, float* output, const std::function<bool()>& cancelled);

  private:
    TiledPiece() = default;

    Status runTiles(kernels::Plan& plan, const float* input, const std::function<bool()>& cancelled,
                    const std::function<void(const TileSpan& rows, const TileSpan& columns)>& done);
    Status measure(std::size_t norm, const float* input, const std::function<bool()>& cancelled);

    kernels::Shape input_, output_;
    std::vector<TileSpan> rows_, columns_;
    int tileHeight_ = 0, tileWidth_ = 0;
    std::vector<kernels::Shape> normShapes_;            ///< of what each norm reads, of the whole image
    std::vector<std::unique_ptr<kernels::Plan>> upTo_;  ///< for each norm; null where it reads the input
    std::unique_ptr<kernels::Plan> whole_;              ///< from input to output
    std::vector<std::vector<float>> statistics_;        ///< for each norm
    std::size_t regionBytes_ = 0;
};

/// TiledPiece::regionBytes() of such tiles, without compiling.
std::size_t storedBytes(const kernels::Graph& network, const NetworkPiece& piece, const TiledPiece::Options& options);

}  // namespace reelbrush::diffusion
