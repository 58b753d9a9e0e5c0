#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/full_model.h"
#include "engine/diffusion/image_prompt.h"
#include "engine/diffusion/networks/style_injection.h"
#include "engine/diffusion/style_bank.h"
#include "engine/weights/motion_module.h"
#include "kernels/plan/plan.h"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

inline constexpr int kLatentChannels = 4;
inline constexpr int kPixelsPerLatent = 8;

/// What a UNet is compiled for. A batch is `prompts` times `frames`, frames of one prompt side by side.
struct UnetShape {
    int width = 64, height = 64;  ///< latents
    int prompts = 1;              ///< 2 with guidance, 3 for guided editing
    int frames = 1;               ///< at once: of a video window, or each on its own
    int tokens = 77;              ///< of the prompts
    bool controlled = false;      ///< takes residuals of ControlNets
    int imageTokens = 0;          ///< of an IP-Adapter
    bool injected = false;        ///< style injection: the frame itself comes before its painting (one frame only)

    int batch() const { return prompts * frames + (injected ? 1 : 0); }
    bool operator==(const UnetShape&) const = default;
};

/// What stays the same during a whole denoising.
struct UnetContext {
    std::vector<float> context{};  ///< [prompts, tokens, contextChannels]
    std::vector<float> pooled{};   ///< SDXL: [prompts, pooledChannels]
    /// Channels beside the latents: [prompts,frames,H,W,inChannels - 4]; empty for plain models.
    std::vector<float> extra{};
    /// An IP-Adapter's tokens [prompts,imageTokens,contextChannels].
    std::vector<float> imageTokens{};
};

/// One question to a UNet.
struct UnetCall {
    std::span<const float> latents{};  ///< [frames,H,W,4], scaled for the model
    float timestep = 0.0f;
    const UnetContext& context;
    const std::vector<std::vector<float>>& controls;  ///< residuals as ControlStack gives them; empty for none
    /// Style injection: the frame (or the style picture) at the same noise level, [1,H,W,4].
    std::span<const float> frame{};
    const StyleBank* style = nullptr;  ///< keys and values that the painting looks up; null: zeros
    std::size_t evaluation = 0;        ///< of the style bank
    float blend = 0.0f, temperature = 1.0f;
    float ipAdapterStrength = 1.0f;
};

/// What is added to a UNet: weights and graph. Empty members add nothing.
struct UnetAdditions {
    const weights::MotionModuleFiles* motion = nullptr;  ///< for windows of more than one frame
    const ImagePrompt* imagePrompt = nullptr;            ///< for shapes with image tokens
};

/// A UNet ready to be asked again and again. Thread: one at a time.
class UnetRunner {
  public:
    /// weights, backend: must outlive this. Errors: as Plan::compile; Cancelled between layers.
    static Result<UnetRunner> compile(const FullModel& model, const UnetShape& shape, const UnetAdditions& additions,
                                      kernels::Backend& backend, const CancelToken& cancel);

    const UnetShape& shape() const { return shape_; }
    std::size_t arenaBytes() const { return plan_.arenaBytes(); }
    std::size_t weightBytes() const { return plan_.weightBytes(); }
    Status bind(std::span<std::byte> arena) { return plan_.bind(arena); }
    Status reload(const kernels::WeightProvider& weights, const std::set<std::string, std::less<>>& touched);

    /// Returns [prompts,frames,H,W,outChannels], valid until another plan of the arena runs.
    Result<std::span<const float>> predict(const UnetCall& call, const CancelToken& cancel);
    /// Puts the keys and values of the last call's frame into the bank, as its next evaluation.
    void captureStyle(StyleBank& bank) const;
    /// Values of a style bank's evaluation.
    std::size_t styleValues() const;

  private:
    UnetRunner(UnetShape shape, kernels::Plan plan) : shape_(shape), plan_(std::move(plan)) {}
    void fillPrompts(std::span<const float> values, std::span<float> in) const;
    void fillResidual(const std::vector<std::vector<float>>& controls, std::size_t index);
    void fillStyle(const UnetCall& call);

    UnetShape shape_;
    kernels::Plan plan_;
    int controlCount_ = 0;
    std::vector<float> timeIds_;
    std::vector<InjectedLayer> injected_;
};

}  // namespace reelbrush::diffusion
