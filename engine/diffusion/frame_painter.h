#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/memory_holder.h"
#include "engine/core/status.h"
#include "engine/diffusion/painting_setup.h"
#include "engine/diffusion/sampling/sampler_settings.h"
#include "kernels/tensor/tracer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// How strongly a ControlNet acts, and during which part of the denoising.
struct ControlSettings {
    float strength = 1.0f;
    float start = 0.0f, end = 1.0f;  ///< shares of the steps, 0..1
};

/// What a style asks of the model, fixed for a whole render.
struct PaintSettings {
    /// 0..1, how much of the frame's detail is thrown away before painting: 1 - structure. Models that paint from a
    /// prompt call it the strength of image-to-image.
    float freedom = 0.6f;
    int steps = 8;           ///< 1..1000
    float guidance = 2.0f;   ///< 1: one pass a step; above: two
    std::uint64_t seed = 3;  ///< of the shot's noise tensor
    /// As artists call it: "ddim", "dpm++ 2m karras" ...; empty: what the model was made for.
    std::string sampler{};
    std::optional<SamplerSettings> tunedSampler{};  ///< in place of a name: see fewStepChoiceFor
    bool cudaNoise = false;        ///< noise as PyTorch draws it on a GPU (A1111), not on a CPU (ComfyUI)
    float guidanceFalloff = 0.0f;  ///< p of guidance * (1 - t/T)^p; 0: the same in every step
    float guidanceRescale = 0.0f;  ///< 0..1 (Lin et al. 2023, section 3.4)
    float imageGuidance = 1.5f;    ///< InstructPix2Pix: how much the frame is kept
    std::vector<ControlSettings> controls{};
    float ipAdapterStrength = 1.0f;
    float queryBlend = 0.75f;           ///< style injection: 1 keeps the frame's drawing, 0 lets go of it
    float injectionTemperature = 1.5f;  ///< style injection: above 1 sharpens the attention

    /// Whether both take the same steps through the same noise.
    bool hasSameNoise(const PaintSettings& other) const;
};

/// What a style is painted from.
struct StyleInputs {
    std::string prompt{}, negativePrompt{};
    bool comfyWeights = false;  ///< prompt weights as ComfyUI reads them, not as A1111 does
    int clipSkip = 0;           ///< layers of the text encoder left out, counted as A1111 does; 0: the model's own
    /// Each [styleHeight, styleWidth, 3] RGB in [0,1] of PainterNeeds (covered and centre-cropped by the caller).
    std::vector<std::span<const float>> pictures{};
};

/// One frame as the painter sees it.
struct FrameInput {
    /// [height,width,3] RGB in [0,1]: the structure image, or the frame itself: see PainterNeeds.
    std::span<const float> picture{};
    /// The control picture of each ControlNet, [height,width,3] in [0,1].
    std::vector<std::span<const float>> controls{};
};

/// What a painter wants of those who prepare frames.
struct PainterNeeds {
    bool structureImage = true;           ///< false: the frame itself
    int styleWidth = 0, styleHeight = 0;  ///< of style pictures; 0: it takes none
    int windowFrames = 1;                 ///< most frames of one paint(), fewer cost as much; of these
    int windowOverlap = 0;                ///< this many are taken from the window before, where there are so many
    /// Frames of a window are painted in view of each other; a window that is not full is filled up with painted ones.
    bool relatesFrames = false;
};

struct PainterMemory {
    std::size_t arenaBytes = 0;          ///< predicted: fixed when compiled
    std::size_t weightBytes = 0;         ///< packed weights
    std::size_t residentArenaBytes = 0;  ///< of the arena, what the system backs now
    bool onDevice = false;               ///< all of it lies on a GPU, nothing in the host's memory
};

/// Paints frames of one size with one model. Compiled once; each paint() replays plans.
/// Thread: one at a time (the engine thread).
class FramePainter {
  public:
    /// Errors: Io, BadInput (damaged or foreign files, with what fits), Unsupported, OutOfMemory (says what is needed),
    /// Cancelled (between layers).
    static Result<std::unique_ptr<FramePainter>> create(const PaintingSetup& setup, const PainterOptions& options,
                                                        const CancelToken& cancel);
    virtual ~FramePainter() = default;

    virtual PainterNeeds needs() const = 0;
    /// Takes other LoRAs than it was made with. Only layers that one of the sets touches are packed again, from the
    /// pristine weights. To be followed by setStyle. After an error the painter is of no use any more.
    virtual Status switchLoras(const std::vector<LoraChoice>& loras, const CancelToken& cancel) = 0;
    /// Sets the style. Without pictures the prompt and the LoRAs alone paint; of several pictures the tokens are
    /// averaged. A large model is made ready here, since what it has to be ready for (the length of the prompt) is
    /// known now; memory() counts from then on. Errors: as create; BadInput for what this model cannot take.
    virtual Status setStyle(const StyleInputs& style, const CancelToken& cancel) = 0;
    /// Draws the noise tensor that every frame of the shot starts from, and forgets the frames before.
    virtual void beginShot(const PaintSettings& settings) = 0;
    /// Paints the last out.size() of `frames`, which follow each other; those before them were painted by the calls
    /// before, in this shot. frames: 1 to windowFrames. out: paintings [height,width,3], RGB in [0,1].
    /// Errors: Cancelled (within one denoising step), BadInput (settings that the model cannot take), Internal.
    virtual Status paint(std::span<const FrameInput> frames, const PaintSettings& settings, const CancelToken& cancel,
                         std::span<const std::span<float>> out) = 0;

    /// Where what it does is written from here on; an empty row ends that. The tracer must live until then.
    virtual void traceTo(kernels::TraceRow) {}

    virtual PainterMemory memory() const = 0;
    /// Who holds what of it, as predicted and as counted; also what came and went.
    virtual std::vector<MemoryHolder> holders() const { return {}; }
    /// What computes: "CPU", or the GPU's name.
    virtual std::string deviceName() const { return "CPU"; }
    /// What painting with these settings keeps beside that: keys and values of a style picture.
    /// Errors: BadInput for settings that the model cannot take.
    virtual Result<std::size_t> keptBytes(const PaintSettings&) const { return std::size_t{0}; }
    /// "78 of 78 modules applied" for each LoRA, in order.
    virtual const std::vector<std::string>& loraReports() const = 0;
    /// Sentences for the user about what was chosen for them; grow while painting.
    virtual const std::vector<std::string>& notes() const = 0;
};

}  // namespace reelbrush::diffusion
