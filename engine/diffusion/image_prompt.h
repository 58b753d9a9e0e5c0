#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/full_model.h"
#include "engine/diffusion/networks/ip_adapter.h"
#include "engine/diffusion/networks/vision_encoder.h"
#include "engine/diffusion/painting_setup.h"
#include "engine/weights/ip_adapter.h"
#include "kernels/plan/backend.h"

#include <span>
#include <vector>

namespace reelbrush::diffusion {

/// Tokens that an IP-Adapter's attentions look at, each [tokens,contextChannels].
struct ImageTokens {
    std::vector<float> pictures;  ///< of the style pictures, averaged
    std::vector<float> nothing;   ///< what guidance steers away from
};

/// An IP-Adapter with its image encoder: pictures become tokens beside those of the prompt. Thread: one at a time.
class ImagePrompt {
  public:
    /// Opens and checks both files; reads headers only. Errors: as weights::openIpAdapter and openImageEncoder;
    /// BadInput where the adapter was made for another model than this one, or for another image encoder (both named).
    static Result<ImagePrompt> open(const IpAdapterChoice& choice, const FullModel& model);

    const weights::IpAdapterFiles& files() const { return files_; }
    bool isStyleOnly() const { return styleOnly_; }
    /// Side of the square pictures that it takes.
    int pictureSize() const { return vision_.imageSize; }
    int tokens() const;

    /// pictures: at least one, each [pictureSize,pictureSize,3] RGB in [0,1]. The encoder is packed, run and freed
    /// again. Errors: as runOnce; Cancelled between layers while packing.
    Result<ImageTokens> encode(std::span<const std::span<const float>> pictures, kernels::Backend& backend,
                               const CancelToken& cancel) const;

  private:
    ImagePrompt() = default;
    bool readsEmbedding() const { return projection_.kind == ImageProjectionConfig::Kind::Embedding; }
    Result<std::vector<float>> see(std::vector<float> pictures, int count, kernels::Backend& backend,
                                   const CancelToken& cancel) const;
    Result<std::vector<float>> embed(std::vector<float> classTokens, int count, kernels::Backend& backend,
                                     const CancelToken& cancel) const;
    Result<std::vector<float>> project(std::vector<float> embeds, kernels::Backend& backend,
                                       const CancelToken& cancel) const;

    weights::IpAdapterFiles files_;
    weights::ModelPart encoder_;
    ImageProjectionConfig projection_;
    VisionEncoderConfig vision_;
    bool styleOnly_ = false;
};

}  // namespace reelbrush::diffusion
