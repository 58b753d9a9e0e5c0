#include "engine/diffusion/networks/transformer_graph.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr float kTransformerNormEpsilon = 1e-6f;  // fixed in diffusers' Transformer2DModel
constexpr ModuleScope::LinearOptions kNoBias{.bias = false};

Value projectOut(const ModuleScope& scope, Value mixed, const AttentionShape& shape) {
    return scope.linear("to_out.0", mixed, shape.channels, {.bias = shape.outBias});
}

Value selfAttention(const ModuleScope& scope, Value x, const AttentionShape& shape, const AttentionHooks::Mix& mix) {
    if (!mix) return attention(scope, x, x, shape);
    const Value q = scope.linear("to_q", x, shape.channels, kNoBias);
    const Value k = scope.linear("to_k", x, shape.channels, kNoBias);
    const Value v = scope.linear("to_v", x, shape.channels, kNoBias);
    return projectOut(scope, mix(scope, q, k, v, shape), shape);
}

Value crossAttention(const ModuleScope& scope, Value x, Value context, const AttentionShape& shape,
                     const AttentionHooks::Add& add) {
    if (!add) return attention(scope, x, context, shape);
    const Value q = scope.linear("to_q", x, shape.channels, kNoBias);
    const Value k = scope.linear("to_k", context, shape.channels, kNoBias);
    const Value v = scope.linear("to_v", context, shape.channels, kNoBias);
    return projectOut(scope, add(scope, q, plainAttention(scope, q, k, v, shape), shape), shape);
}

Value transformerBlock(const ModuleScope& scope, Value x, Value context, const AttentionShape& shape,
                       const AttentionHooks& hooks) {
    x = scope.add(selfAttention(scope.child("attn1"), scope.layerNorm("norm1", x), shape, hooks.self), x);
    x = scope.widened(x, scope.shapeOf(context).batch());
    x = scope.add(crossAttention(scope.child("attn2"), scope.layerNorm("norm2", x), context, shape, hooks.cross), x);
    return scope.add(gatedFeedForward(scope.child("ff"), scope.layerNorm("norm3", x), shape.channels), x);
}

}  // namespace

Value gatedFeedForward(const ModuleScope& scope, Value x, int channels) {
    const Value wide = scope.linear("net.0.proj", x, channels * 8);
    const Value gated = scope.graph().add(Geglu{}, {wide}, {}, scope.nameOf("net.0"));
    return scope.linear("net.2", gated, channels);
}

Value plainAttention(const ModuleScope& scope, Value q, Value k, Value v, const AttentionShape& shape) {
    Attention op;
    op.heads = shape.heads;
    op.headSize = shape.headSize();
    return scope.graph().add(op, {q, k, v}, {}, scope.nameOf("attention"));
}

Value attention(const ModuleScope& scope, Value x, Value context, const AttentionShape& shape) {
    const Value q = scope.linear("to_q", x, shape.channels, kNoBias);
    const Value k = scope.linear("to_k", context, shape.channels, kNoBias);
    const Value v = scope.linear("to_v", context, shape.channels, kNoBias);
    return projectOut(scope, plainAttention(scope, q, k, v, shape), shape);
}

Value spatialTransformer(const ModuleScope& scope, Value image, Value context, const SpatialTransformer& transformer) {
    const Shape imageShape = scope.shapeOf(image);
    const int channels = static_cast<int>(imageShape.channels());
    const AttentionShape shape{.channels = channels, .heads = transformer.heads};
    // A 1x1 convolution of [N,H,W,C] and a linear of [N,T,C] are the same product here.
    const Value normed = scope.groupNorm("norm", image, transformer.normGroups, kTransformerNormEpsilon);
    Value x = scope.linear("proj_in", scope.toTokens(normed), channels);
    for (int i = 0; i < transformer.layers; ++i)
        x = transformerBlock(scope.child(fmt::format("transformer_blocks.{}", i)), x, context, shape,
                             transformer.hooks);
    const Value projected = scope.toImage(scope.linear("proj_out", x, channels), imageShape);
    return scope.add(projected, scope.widened(image, scope.shapeOf(projected).batch()));
}

}  // namespace reelbrush::diffusion
