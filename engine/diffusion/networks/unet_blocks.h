#pragma once

#include "engine/diffusion/networks/transformer_graph.h"
#include "engine/diffusion/networks/unet_config.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// What additions to a model change in its blocks; empty members change nothing.
struct UnetHooks {
    /// The attentions of one spatial transformer. module: "down_blocks.0.attentions.1".
    std::function<AttentionHooks(const std::string& module)> attentions{};
    /// After layer `index` of a block ("down_blocks.0", "mid_block", "up_blocks.3"): resnet and, where there is one,
    /// transformer. In the middle block: index 0, after the transformer.
    std::function<kernels::Value(const std::string& block, int index, kernels::Value x)> afterLayer{};
};

/// The blocks that UNets and ControlNets are made of, under diffusers' names. Keeps the stack of skip connections.
class UnetBlocks {
  public:
    /// All must outlive this. embedding: see unetEmbedding. context [N,T,contextChannels].
    UnetBlocks(const ModuleScope& root, const UnetConfig& config, kernels::Value embedding, kernels::Value context,
               const UnetHooks& hooks)
        : root_(root), config_(config), embedding_(embedding), context_(context), hooks_(hooks) {}

    /// x: what conv_in gives, [n,H,W,C]. Returns what goes into the middle.
    kernels::Value down(kernels::Value x);
    kernels::Value middle(kernels::Value x);
    /// Takes all skips.
    kernels::Value up(kernels::Value x);

    /// Outermost first.
    std::vector<kernels::Value>& skips() { return skips_; }

  private:
    kernels::Value layer(const std::string& block, int index, kernels::Value x, const UnetLevel& level,
                         bool hasAttention);
    kernels::Value resnet(const ModuleScope& block, int index, kernels::Value x, int channels);
    kernels::Value attend(const ModuleScope& block, int index, kernels::Value x, const UnetLevel& level);
    kernels::Value afterLayer(const std::string& block, int index, kernels::Value x) const;
    kernels::Value downBlock(std::size_t index, kernels::Value x);
    kernels::Value upBlock(std::size_t index, kernels::Value x);

    const ModuleScope& root_;
    const UnetConfig& config_;
    const kernels::Value embedding_, context_;
    const UnetHooks& hooks_;
    std::vector<kernels::Value> skips_;
};

}  // namespace reelbrush::diffusion
