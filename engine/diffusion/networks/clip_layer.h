#pragma once

#include "engine/diffusion/networks/module_scope.h"

namespace reelbrush::diffusion {

/// Shape of the layers of CLIP's encoders, of text and of pictures.
struct ClipLayer {
    int hiddenSize = 768, intermediateSize = 3072, heads = 12;
    kernels::Activation activation = kernels::Activation::QuickGelu;
    float normEpsilon = 1e-5f;
    bool causal = false;  ///< each token attends to itself and those before it: text
};

/// One layer (Radford et al. 2021) under the names of transformers: norm, self-attention, norm, feed-forward, each pair
/// added to what came in. x [N,T,hiddenSize]. Floating point throughout: encoders run once a style.
kernels::Value clipLayer(const ModuleScope& scope, kernels::Value x, const ClipLayer& layer);

}  // namespace reelbrush::diffusion
