#include "engine/diffusion/networks/unet_blocks.h"

#include "engine/diffusion/networks/resnet_graph.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

using namespace kernels;

Value UnetBlocks::resnet(const ModuleScope& block, int index, Value x, int channels) {
    return resnetBlock(block.child(fmt::format("resnets.{}", index)), x, embedding_, channels, config_.normGroups,
                       config_.normEpsilon);
}

Value UnetBlocks::attend(const ModuleScope& block, int index, Value x, const UnetLevel& level) {
    const std::string name = fmt::format("attentions.{}", index);
    SpatialTransformer transformer{level.heads, level.transformerLayers, config_.normGroups, {}};
    if (hooks_.attentions) transformer.hooks = hooks_.attentions(block.nameOf(name));
    return spatialTransformer(block.child(name), x, context_, transformer);
}

Value UnetBlocks::afterLayer(const std::string& block, int index, Value x) const {
    return hooks_.afterLayer ? hooks_.afterLayer(block, index, x) : x;
}

Value UnetBlocks::layer(const std::string& block, int index, Value x, const UnetLevel& level, bool hasAttention) {
    const ModuleScope scope = root_.child(block);
    x = resnet(scope, index, x, level.channels);
    if (hasAttention) x = attend(scope, index, x, level);
    return afterLayer(block, index, x);
}

Value UnetBlocks::down(Value x) {
    skips_ = {x};
    for (std::size_t i = 0; i < config_.levels.size(); ++i) x = downBlock(i, x);
    return x;
}

Value UnetBlocks::downBlock(std::size_t index, Value x) {
    const UnetLevel& level = config_.levels[index];
    const std::string block = fmt::format("down_blocks.{}", index);
    for (int i = 0; i < config_.layersPerBlock; ++i) {
        x = layer(block, i, x, level, level.downHasAttention);
        skips_.push_back(x);
    }
    if (index + 1 < config_.levels.size()) {
        x = root_.child(block).conv3x3("downsamplers.0.conv", x, level.channels, {.stride = 2});
        skips_.push_back(x);
    }
    return x;
}

Value UnetBlocks::middle(Value x) {
    const UnetLevel& level = config_.levels.back();
    const ModuleScope block = root_.child("mid_block");
    x = resnet(block, 0, x, level.channels);
    x = attend(block, 0, x, level);
    x = afterLayer("mid_block", 0, x);
    return resnet(block, 1, x, level.channels);
}

Value UnetBlocks::up(Value x) {
    for (std::size_t i = 0; i < config_.levels.size(); ++i) x = upBlock(i, x);
    return x;
}

Value UnetBlocks::upBlock(std::size_t index, Value x) {
    const UnetLevel& level = config_.levels[config_.levels.size() - 1 - index];
    const std::string block = fmt::format("up_blocks.{}", index);
    const ModuleScope scope = root_.child(block);
    for (int i = 0; i <= config_.layersPerBlock; ++i) {
        Value skip = skips_.back();
        skips_.pop_back();
        // One frame is repeated by joining itself.
        if (root_.shapeOf(skip).batch() > 1) skip = scope.widened(skip, root_.shapeOf(x).batch());
        x = root_.graph().add(ConcatChannels{}, {x, skip}, {}, scope.nameOf("concat"));
        x = layer(block, i, x, level, level.upHasAttention);
    }
    if (index + 1 == config_.levels.size()) return x;
    const Shape& target = root_.shapeOf(skips_.back());
    UpsampleNearest op;
    op.height = static_cast<int>(target[1]);
    op.width = static_cast<int>(target[2]);
    x = root_.graph().add(op, {x}, {}, scope.nameOf("upsamplers.0"));
    return scope.conv3x3("upsamplers.0.conv", x, level.channels);
}

}  // namespace reelbrush::diffusion
