#include "engine/diffusion/networks/unet_graph.h"

#include "engine/diffusion/networks/module_scope.h"
#include "engine/diffusion/networks/resnet_graph.h"
#include "engine/diffusion/networks/transformer_graph.h"

#include <fmt/format.h>

#include <vector>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// Builds the UNet block by block, keeping the stack of skip connections.
class UnetBuilder {
  public:
    UnetBuilder(Graph& graph, const UnetConfig& config, const UnetInputs& inputs)
        : config_(config), inputs_(inputs), root_(graph, "") {}

    Value build() {
        embedding_ = root_.activation(Activation::Silu, timeEmbedding());
        Value x = root_.conv3x3("conv_in", inputs_.latents, config_.levels[0].channels, {.mayQuantise = false});
        skips_ = {x};
        for (std::size_t level = 0; level < config_.levels.size(); ++level) x = downBlock(level, x);
        x = middle(x);
        for (std::size_t block = 0; block < config_.levels.size(); ++block) x = upBlock(block, x);
        x = root_.groupNorm("conv_norm_out", x, config_.normGroups, config_.normEpsilon);
        x = root_.activation(Activation::Silu, x);
        return root_.conv3x3("conv_out", x, config_.outChannels, {.mayQuantise = false});
    }

  private:
    Value embedScalar(const char* module, Value scalar) {
        const int base = config_.levels[0].channels;
        TimestepEmbedding op;
        op.channels = base;
        op.cosineFirst = config_.cosineFirst;
        op.frequencyShift = config_.frequencyShift;
        const ModuleScope scope = root_.child(module);
        const Value waves = root_.graph().add(op, {scalar}, {}, module);
        const Value hidden = scope.linear("linear_1", waves, base * 4, {.mayQuantise = false});
        return scope.linear("linear_2", scope.activation(Activation::Silu, hidden), base * 4, {.mayQuantise = false});
    }

    Value timeEmbedding() {
        const Value time = embedScalar("time_embedding", inputs_.timestep);
        return config_.timestepClass ? root_.add(time, embedScalar("class_embedding", inputs_.label)) : time;
    }

    Value resnet(const ModuleScope& block, int index, Value x, int channels) {
        return resnetBlock(block.child(fmt::format("resnets.{}", index)), x, embedding_, channels, config_.normGroups,
                           config_.normEpsilon);
    }

    Value attend(const ModuleScope& block, int index, Value x, const UnetLevel& level) {
        return spatialTransformer(block.child(fmt::format("attentions.{}", index)), x, inputs_.context, level.heads,
                                  level.transformerLayers, config_.normGroups);
    }

    Value downBlock(std::size_t index, Value x) {
        const UnetLevel& level = config_.levels[index];
        const ModuleScope block = root_.child(fmt::format("down_blocks.{}", index));
        for (int i = 0; i < config_.layersPerBlock; ++i) {
            x = resnet(block, i, x, level.channels);
            if (level.downHasAttention) x = attend(block, i, x, level);
            skips_.push_back(x);
        }
        if (index + 1 < config_.levels.size()) {
            x = block.conv3x3("downsamplers.0.conv", x, level.channels, {.stride = 2});
            skips_.push_back(x);
        }
        return x;
    }

    Value middle(Value x) {
        const UnetLevel& level = config_.levels.back();
        const ModuleScope block = root_.child("mid_block");
        x = resnet(block, 0, x, level.channels);
        x = attend(block, 0, x, level);
        return resnet(block, 1, x, level.channels);
    }

    Value upBlock(std::size_t index, Value x) {
        const UnetLevel& level = config_.levels[config_.levels.size() - 1 - index];
        const ModuleScope block = root_.child(fmt::format("up_blocks.{}", index));
        for (int i = 0; i <= config_.layersPerBlock; ++i) {
            const Value skip = skips_.back();
            skips_.pop_back();
            x = root_.graph().add(ConcatChannels{}, {x, skip}, {}, block.nameOf("concat"));
            x = resnet(block, i, x, level.channels);
            if (level.upHasAttention) x = attend(block, i, x, level);
        }
        if (index + 1 == config_.levels.size()) return x;
        const Shape& target = root_.shapeOf(skips_.back());
        UpsampleNearest op;
        op.height = static_cast<int>(target[1]);
        op.width = static_cast<int>(target[2]);
        x = root_.graph().add(op, {x}, {}, block.nameOf("upsamplers.0"));
        return block.conv3x3("upsamplers.0.conv", x, level.channels);
    }

    const UnetConfig& config_;
    const UnetInputs& inputs_;
    ModuleScope root_;
    Value embedding_;
    std::vector<Value> skips_;
};

}  // namespace

Value buildUnet(Graph& graph, const UnetConfig& config, const UnetInputs& inputs) {
    return UnetBuilder(graph, config, inputs).build();
}

}  // namespace reelbrush::diffusion
