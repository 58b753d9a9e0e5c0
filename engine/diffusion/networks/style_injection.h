#pragma once

#include "engine/diffusion/networks/unet_blocks.h"
#include "kernels/plan/graph.h"

#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// A self-attention whose keys and values come from a style picture. Graph inputs and outputs: keyName(), valueName().
struct InjectedLayer {
    std::string module;    ///< "up_blocks.2.attentions.0.transformer_blocks.0.attn1"
    kernels::Shape shape;  ///< of its keys, and of its values: [1,tokens,channels]

    std::string keyName() const { return module + ".style_key"; }
    std::string valueName() const { return module + ".style_value"; }
};

/// The graph input that mixes queries: [2] = {temperature * blend, temperature * (1 - blend)}.
inline constexpr const char* kInjectionMix = "injection_mix";

/// Style of a picture without weights of its own, after StyleID (Chung et al. 2024). Member 0 of the batch is the frame
/// as it is; the others are its painting. In the self-attentions of the decoder's finer blocks the painting looks up
/// the style picture's values by its keys, with queries of which a share `blend` is the frame's own, sharpened by a
/// temperature. Member 0 attends to itself as ever, and its keys and values are outputs of the graph: what the style
/// picture gave when it ran as member 0 goes in as the painting's inputs.
/// layers: those that are changed are appended while the UNet is built, and must live as long as that takes.
UnetHooks withStyleInjection(UnetHooks hooks, kernels::Graph& graph, const UnetConfig& config,
                             std::vector<InjectedLayer>& layers);

}  // namespace reelbrush::diffusion
