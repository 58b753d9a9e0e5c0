#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/control_stack.h"
#include "engine/diffusion/frame_painter.h"
#include "engine/diffusion/full_model.h"
#include "engine/diffusion/image_prompt.h"
#include "engine/diffusion/merged_loras.h"
#include "engine/diffusion/part_holders.h"
#include "engine/diffusion/sampling/noise_source.h"
#include "engine/diffusion/sampling/sampler.h"
#include "engine/diffusion/unet_runner.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// Latents of a window of frames, and what they are denoised with.
struct DenoiseRequest {
    std::span<const float> clean{};        ///< the frames' latents [frames,H,W,4]; of carried ones the final ones
    std::span<const float> noise{};        ///< unit noise of that shape
    std::size_t carried = 0;               ///< the first frames, which stay what they are
    std::span<const FrameInput> frames{};  ///< for their control pictures, one for each frame of the window
    const PaintSettings& settings;
    NoiseSource& fresh;  ///< for samplers that add noise on the way
};

/// The denoising loop: sampler, guidance, UNet and ControlNets. Thread: one at a time.
class Denoiser {
  public:
    /// model, backend: must outlive this. controls: see ControlStack::open.
    Denoiser(const FullModel& model, ControlStack controls, kernels::Backend& backend)
        : model_(model), controls_(std::move(controls)), backend_(backend) {}

    /// Adds a motion module; before compile. Errors: BadInput where it does not fit the model.
    Status addMotion(weights::MotionModuleFiles motion);
    /// Adds an IP-Adapter; before compile.
    void addImagePrompt(ImagePrompt prompt) { imagePrompt_ = std::move(prompt); }
    const ImagePrompt* imagePrompt() const { return imagePrompt_ ? &*imagePrompt_ : nullptr; }

    bool isCompiled() const { return unet_.has_value(); }
    const UnetShape& shape() const { return unet_->shape(); }
    bool isControlled() const { return !controls_.isEmpty(); }

    /// Packs UNet and ControlNets; what was compiled before goes first. Errors: as UnetRunner::compile.
    Status compile(const UnetShape& shape, const MergedLoras& loras, const CancelToken& cancel);
    Status reload(const MergedLoras& loras, const std::set<std::string, std::less<>>& touched,
                  const CancelToken& cancel);
    std::size_t arenaBytes() const;
    std::size_t weightBytes() const;
    /// UNet and ControlNets, once compiled.
    std::vector<PredictedPart> predictedParts() const;
    /// The style's keys and values, where they are injected and there are any.
    std::optional<MemoryHolder> styleBank() const;
    Status bind(std::span<std::byte> arena);
    /// See FramePainter::traceTo.
    void traceTo(kernels::TraceRow row) { trace_ = row; }

    /// The picture whose style is injected, as latents [1,H,W,4]; for shapes with injection.
    void setStyle(std::vector<float> latents);
    /// What the style's keys and values will take with these settings; 0 without injection.
    Result<std::size_t> styleBytes(const PaintSettings& settings) const;

    /// The prompts, and what editing and inpainting models see beside the latents.
    UnetContext& context() { return context_; }

    /// Errors: BadInput for settings that the model cannot take; Cancelled (within one step); Internal.
    /// latents: [frames,H,W,4], clean and scaled. The arena's contents are lost.
    Status denoise(const DenoiseRequest& request, const CancelToken& cancel, std::span<float> latents);

  private:
    Result<std::unique_ptr<Sampler>> makeSampler(const PaintSettings& settings) const;
    Status fillStyleBank(Sampler& sampler, const DenoiseRequest& request, const CancelToken& cancel);
    void combine(std::span<const float> predictions, float guidance, const PaintSettings& settings);

    const FullModel& model_;
    ControlStack controls_;
    kernels::Backend& backend_;
    std::optional<weights::MotionModuleFiles> motion_;
    std::optional<ImagePrompt> imagePrompt_;
    std::optional<UnetRunner> unet_;
    UnetContext context_;
    std::vector<float> styleLatents_, frameLatents_;
    StyleBank bank_;
    /// What the bank was made with: another sampler or other noise needs another.
    std::optional<PaintSettings> bankSettings_;
    std::vector<float> modelLatents_, prediction_;  ///< [frames,H,W,4]
    std::vector<std::vector<float>> residuals_;
    kernels::TraceRow trace_;
};

}  // namespace reelbrush::diffusion
