#pragma once

#include "engine/diffusion/vae/bounded_network.h"
#include "engine/weights/listed_weights.h"
#include "kernels/plan/backend.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace reelbrush::diffusion {

/// The encoder or the decoder of a codec, which gives finite values or an error: what overflows in int8 layers or in
/// half precision is computed once more in float32, and from then on always.
class CodecHalf {
  public:
    struct Options {
        const char* name = "decoder";  ///< "encoder" or "decoder", for messages
        std::size_t ceilingBytes = 0;
    };
    /// Errors: those of BoundedNetwork::compile.
    static Result<CodecHalf> compile(kernels::Graph graph, std::shared_ptr<const weights::ListedWeights> weights,
                                     kernels::Backend& backend, const Options& options);

    std::size_t arenaBytes() const { return network_.arenaBytes(); }
    std::size_t weightBytes() const { return network_.weightBytes(); }
    std::size_t hostBytes() const { return network_.hostBytes(); }
    bool isTiled() const { return network_.isTiled(); }
    Status bind(std::span<std::byte> arena);

    /// As BoundedNetwork::run. Errors: Cancelled; BadInput where a result is not finite even in float32; those of
    /// compiling again.
    Status run(FrameInputs inputs, FrameOutputs outputs, const std::function<bool()>& cancelled);
    /// One sentence where it went over to float32.
    const std::optional<std::string>& note() const { return note_; }

  private:
    CodecHalf(kernels::Graph graph, BoundedNetwork network) : graph_(std::move(graph)), network_(std::move(network)) {}
    /// False where it computes in float32 already.
    Result<bool> goOverToFloat();

    kernels::Graph graph_;
    BoundedNetwork network_;
    std::shared_ptr<const weights::ListedWeights> weights_;
    kernels::Backend* backend_ = nullptr;
    Options options_;
    std::span<std::byte> arena_;
    std::unique_ptr<kernels::DeviceMemory> ownArena_;  ///< where the float32 network needs more than it was given
    std::optional<std::string> note_;
};

}  // namespace reelbrush::diffusion
