#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/frame_painter.h"
#include "engine/diffusion/networks/controlnet.h"
#include "engine/diffusion/unet_runner.h"
#include "engine/weights/model_part_files.h"
#include "kernels/plan/plan.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// Several ControlNets whose residuals add up, each with its own strength and its own part of the denoising.
/// Thread: one at a time.
class ControlStack {
  public:
    /// Opens the files and checks that they fit the model; packs nothing.
    /// Errors: as weights::openControlNet and checkFits.
    static Result<ControlStack> open(const std::vector<std::filesystem::path>& files, const FullModel& model);

    bool isEmpty() const { return nets_.empty(); }
    std::size_t count() const { return nets_.size(); }
    /// One sentence for each file with weights that nothing reads.
    std::vector<std::string> warnings() const;
    /// shape: the UNet's. Errors: as Plan::compile; Cancelled between layers.
    Status compile(const UnetShape& shape, kernels::Backend& backend, const CancelToken& cancel);
    /// Of the largest, since they run one after the other.
    std::size_t arenaBytes() const;
    std::size_t weightBytes() const;
    Status bind(std::span<std::byte> arena);

    /// What all nets that act now add to the UNet, in the order of controlShapes, each [prompts,frames,H,W,C].
    /// latents: [frames,H,W,4]. step: of `steps`; a net acts in the steps that lie wholly within its part.
    /// residuals: empty where none acts. The arena's contents are lost.
    struct Request {
        std::span<const float> latents{};
        float timestep = 0.0f;
        const UnetContext& context;
        std::span<const FrameInput> frames{};
        const std::vector<ControlSettings>& settings;
        std::size_t step = 0, steps = 1;
    };
    Status addResiduals(const Request& request, const CancelToken& cancel, std::vector<std::vector<float>>& residuals);

  private:
    struct Net {
        weights::ControlNetFiles files;
        ControlNetConfig config;
        std::optional<kernels::Plan> plan{};
    };

    Status run(Net& net, const Request& request, std::size_t frame, std::size_t index, const CancelToken& cancel);

    std::vector<Net> nets_;
    UnetShape shape_;
    std::size_t residualCount_ = 0;
    std::vector<float> timeIds_;
};

}  // namespace reelbrush::diffusion
