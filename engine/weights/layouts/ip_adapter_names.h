#pragma once

#include "engine/weights/layouts/name_translation.h"

namespace reelbrush::weights {

/// Names of an IP-Adapter as its authors publish it. The projection of the picture gets those of diffusers' modules,
/// without "image_proj.": Plus becomes the resampler's ("latents", "layers.0.attn.to_q" ...; a fused to_kv becomes two
/// row ranges), base ("proj", "norm") and full face ("proj.0", "proj.2", "proj.3") stay. "ip_adapter.N.to_k_ip" and
/// "to_v_ip" stay. Source: tencent-ailab/IP-Adapter; diffusers, loaders/unet.
TranslatedNames ipAdapterNames(const ListedWeights& stored);

/// Names of a CLIP image encoder as transformers stores it (CLIPVisionModel, CLIPVisionModelWithProjection), without
/// "vision_model.". Source: transformers, modeling_clip.
TranslatedNames clipVisionNames(const ListedWeights& stored);

}  // namespace reelbrush::weights
