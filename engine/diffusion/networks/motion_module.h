#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/networks/unet_blocks.h"
#include "kernels/plan/weight_provider.h"

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// Shape of a motion module, as diffusers' config.json of MotionAdapter describes it.
struct MotionModuleConfig {
    int heads = 8;
    int normGroups = 32;
    int layers = 1;          ///< transformer blocks of each module
    int mostFrames = 32;     ///< positions that it was trained with
    bool hasMiddle = false;  ///< a module in the middle block too

    /// Errors: BadInput (field named), Unsupported (modules of different depths).
    static Result<MotionModuleConfig> fromJson(const nlohmann::json& json);
};

/// Adds a motion module (AnimateDiff, Guo et al. 2023) to a UNet whose batch is prompts times frames, frames of one
/// prompt side by side: after each layer of a block, every pixel attends to itself in the other frames.
/// Weights: diffusers' names of MotionAdapter, found through MotionWeights.
UnetHooks withMotion(UnetHooks hooks, kernels::Graph& graph, const MotionModuleConfig& config, int frames);

/// A motion module's weights for a window of frames: positions are cut to the window, and computed where the file has
/// none (AnimateLCM; Vaswani et al. 2017). Thread-safe.
class MotionWeights final : public kernels::WeightProvider {
  public:
    /// inner must outlive this. frames: at most config.mostFrames.
    MotionWeights(const kernels::WeightProvider& inner, const MotionModuleConfig& config, int frames)
        : inner_(inner), frames_(frames), mostFrames_(config.mostFrames) {}

    Result<kernels::WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override;

  private:
    kernels::WeightView computedPositions(std::int64_t channels) const;

    const kernels::WeightProvider& inner_;
    const int frames_, mostFrames_;
    mutable std::mutex mutex_;
    mutable std::map<std::int64_t, std::vector<float>> computed_;  ///< by channels
};

}  // namespace reelbrush::diffusion
