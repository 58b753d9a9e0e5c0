#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "kernels/cpu/cpu_backend.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// A LoRA file and how strongly it acts (1: as trained).
struct LoraChoice {
    std::filesystem::path file;
    float strength = 1.0f;
};

/// What a style asks of the model, fixed for a whole render.
struct PaintSettings {
    /// 0..1, how much of the frame's detail is thrown away before painting: 1 - structure.
    float freedom = 0.6f;
    int steps = 8;           ///< 1..1000
    float guidance = 2.0f;   ///< 1: one pass a step; above: two
    std::uint64_t seed = 3;  ///< of the shot's noise tensor (PyTorch's CPU generator)
};

/// One painting size. width and height: multiples of 16, pixels.
struct PainterOptions {
    int width = 512, height = 512;
    bool guided = true;  ///< guidance other than 1 will be used: room for a batch of two
    kernels::Precision precision = kernels::Precision::Fastest;
    int threads = 0;           ///< 0: all processors this process may use
    std::size_t ramBytes = 0;  ///< ceiling for weights and arena; 0: none
    std::filesystem::path algorithmCacheFile{};
};

struct PainterMemory {
    std::size_t arenaBytes = 0;          ///< predicted: fixed when compiled
    std::size_t weightBytes = 0;         ///< packed weights
    std::size_t residentArenaBytes = 0;  ///< of the arena, what the system backs now
};

/// Paints single frames with the starter model: encodes the structure image, denoises, decodes. Compiled once for a
/// size; each paint() replays plans and allocates nothing. Thread: one at a time (the engine thread).
class FramePainter {
  public:
    /// modelFolder: a starter model in diffusers layout (resources/models/starter).
    /// Errors: Io, BadInput (damaged or foreign model, LoRA for another model), OutOfMemory (says what is needed).
    static Result<std::unique_ptr<FramePainter>> create(const std::filesystem::path& modelFolder,
                                                        const std::vector<LoraChoice>& loras,
                                                        const PainterOptions& options);
    virtual ~FramePainter() = default;

    /// Sets the style. picture: [224,224,3] RGB in [0,1] (covered and centre-cropped by the caller); empty: no style
    /// picture, the LoRAs alone paint. Several pictures: their tokens are averaged.
    virtual Status setStyle(const std::vector<std::span<const float>>& pictures) = 0;
    /// Draws the noise tensor that every frame of the shot starts from.
    virtual void beginShot(std::uint64_t seed) = 0;
    /// structure: structure image [height,width,3], out: the painting [height,width,3], RGB in [0,1].
    /// Errors: Cancelled (within one denoising step), Internal.
    virtual Status paint(std::span<const float> structure, const PaintSettings& settings, const CancelToken& cancel,
                         std::span<float> out) = 0;

    virtual PainterMemory memory() const = 0;
    /// "78 of 78 modules applied" for each LoRA, in order.
    virtual const std::vector<std::string>& loraReports() const = 0;
};

}  // namespace reelbrush::diffusion
