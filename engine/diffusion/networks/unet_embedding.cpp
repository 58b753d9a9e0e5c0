#include "engine/diffusion/networks/unet_embedding.h"

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr int kTimeIds = 6;

/// Two linears with SiLU between; small, and every layer hangs on them: never quantised.
Value embed(const ModuleScope& scope, Value waves, int channels) {
    const Value hidden = scope.linear("linear_1", waves, channels, {.mayQuantise = false});
    return scope.linear("linear_2", scope.activation(Activation::Silu, hidden), channels, {.mayQuantise = false});
}

Value waves(const ModuleScope& root, const UnetConfig& config, Value scalars, int channels) {
    TimestepEmbedding op;
    op.channels = channels;
    op.cosineFirst = config.cosineFirst;
    op.frequencyShift = config.frequencyShift;
    return root.graph().add(op, {scalars}, {}, root.nameOf("waves"));
}

/// Sum of two embeddings of which either may have batch 1.
Value sum(const ModuleScope& root, Value a, Value b) {
    return root.shapeOf(a).batch() >= root.shapeOf(b).batch() ? root.add(a, b) : root.add(b, a);
}

/// SDXL: pooled text and the waves of the six numbers side by side.
Value addition(const ModuleScope& root, const UnetConfig& config, const UnetConditions& conditions, int channels) {
    Graph& graph = root.graph();
    const std::int64_t batch = root.shapeOf(conditions.timeIds).batch();
    const Value scalars = graph.add(Reshape{Shape{batch * kTimeIds}}, {conditions.timeIds});
    const Value each = waves(root, config, scalars, config.additionTimeChannels);
    const Value ids = graph.add(Reshape{Shape{batch, kTimeIds * config.additionTimeChannels}}, {each});
    const Value both = graph.add(ConcatChannels{}, {conditions.pooled, ids}, {}, root.nameOf("add_embedding"));
    return embed(root.child("add_embedding"), both, channels);
}

}  // namespace

Value unetEmbedding(const ModuleScope& root, const UnetConfig& config, const UnetConditions& conditions) {
    const int base = config.levels[0].channels, channels = base * 4;
    Value embedding = embed(root.child("time_embedding"), waves(root, config, conditions.timestep, base), channels);
    if (config.timestepClass)
        embedding = sum(root, embedding,
                        embed(root.child("class_embedding"), waves(root, config, conditions.label, base), channels));
    if (config.pooledChannels > 0) embedding = sum(root, embedding, addition(root, config, conditions, channels));
    return root.activation(Activation::Silu, embedding);
}

}  // namespace reelbrush::diffusion
