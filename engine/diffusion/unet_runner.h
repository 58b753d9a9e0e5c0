#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/full_model.h"
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
    int frames = 1;               ///< of a video window
    int tokens = 77;              ///< of the prompts
    bool controlled = false;      ///< takes residuals of ControlNets

    int batch() const { return prompts * frames; }
    bool operator==(const UnetShape&) const = default;
};

/// What stays the same during a whole denoising.
struct UnetContext {
    std::vector<float> context{};  ///< [prompts, tokens, contextChannels]
    std::vector<float> pooled{};   ///< SDXL: [prompts, pooledChannels]
    /// Channels beside the latents: [prompts,frames,H,W,inChannels - 4]; empty for plain models.
    std::vector<float> extra{};
};

/// What is added to a UNet: weights and graph. Empty members add nothing.
struct UnetAdditions {
    const weights::MotionModuleFiles* motion = nullptr;  ///< for windows of more than one frame
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

    /// latents: [frames,H,W,4], scaled for the model. controls: residuals as ControlStack gives them; empty for none.
    /// Returns [prompts,frames,H,W,outChannels], valid until another plan of the arena runs.
    Result<std::span<const float>> predict(std::span<const float> latents, float timestep, const UnetContext& context,
                                           const std::vector<std::vector<float>>& controls, const CancelToken& cancel);

  private:
    UnetRunner(UnetShape shape, kernels::Plan plan) : shape_(shape), plan_(std::move(plan)) {}

    UnetShape shape_;
    kernels::Plan plan_;
    int controlCount_ = 0;
    std::vector<float> timeIds_;
};

}  // namespace reelbrush::diffusion
