#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/vae/bounded_network.h"
#include "engine/weights/listed_weights.h"
#include "kernels/plan/backend.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

struct LatentCodecOptions {
    int width = 512, height = 512;  ///< pixels, multiples of 8
    /// Ceiling for the arena, 0: none. Where the whole does not fit, it runs tile by tile, with the same result; the
    /// tighter, the more is computed again. Only attention over very many latents can still exceed it.
    std::size_t activationBytes = 0;
    bool encoder = true, decoder = true;  ///< what will be used
    int frames = 1;                       ///< coded at once, where they fit under the ceiling without tiles
};

/// Pictures to latents and back, with an AutoencoderKL or an AutoencoderTiny (TAESD). Thread: one at a time.
class LatentCodec {
  public:
    using IsCancelled = std::function<bool()>;

    /// config: diffusers' config.json of either. weights, backend: the backend must outlive this.
    /// Errors: those of the configuration and of compiling; BadInput for a size off the grid.
    static Result<std::unique_ptr<LatentCodec>> create(std::shared_ptr<const weights::ListedWeights> weights,
                                                       const nlohmann::json& config, kernels::Backend& backend,
                                                       const LatentCodecOptions& options);
    virtual ~LatentCodec() = default;

    virtual std::size_t arenaBytes() const = 0;
    virtual std::size_t weightBytes() const = 0;
    /// In the host's memory, where the arena is a device's.
    virtual std::size_t hostBytes() const = 0;
    virtual bool isTiled() const = 0;
    /// Where it works; shared with plans that never run at the same time. May be repeated.
    virtual Status bind(std::span<std::byte> arena) = 0;

    /// Pictures, each [height,width,3] in [0,1] → latents [frames,latentHeight,latentWidth,latentChannels], the mean of
    /// their distribution, scaled by scalingFactor() (InstructPix2Pix divides it away again); any number of frames.
    /// pictures, latents: not inside the arena. Errors: Cancelled; BadInput where they are not finite even in float32.
    virtual Status encodeFrames(FrameInputs pictures, std::span<float> latents, const IsCancelled& cancelled) = 0;
    /// Scaled latents → pictures, clamped to [0,1].
    /// Errors: Cancelled; BadInput where a picture is not finite even in float32: never a black frame.
    virtual Status decodeFrames(std::span<const float> latents, FrameOutputs pictures,
                                const IsCancelled& cancelled) = 0;
    /// One frame.
    Status encode(std::span<const float> picture, std::span<float> latents, const IsCancelled& cancelled) {
        return encodeFrames({&picture, 1}, latents, cancelled);
    }
    Status decode(std::span<const float> latents, std::span<float> picture, const IsCancelled& cancelled) {
        return decodeFrames(latents, {&picture, 1}, cancelled);
    }

    virtual int latentWidth() const = 0;
    virtual int latentHeight() const = 0;
    virtual int latentChannels() const = 0;
    virtual float scalingFactor() const = 0;
    /// Sentences for the user: that a decode was repeated in a wider type.
    virtual const std::vector<std::string>& notes() const = 0;
};

}  // namespace reelbrush::diffusion
