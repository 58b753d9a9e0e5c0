#include "engine/diffusion/networks/transformer_graph.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr float kTransformerNormEpsilon = 1e-6f;  // fixed in diffusers' Transformer2DModel

/// Repeats a tensor of batch 1 to `batch`.
Value widened(const ModuleScope& scope, Value x, std::int64_t batch) {
    if (scope.shapeOf(x).batch() == batch) return x;
    return scope.graph().add(RepeatBatch{static_cast<int>(batch)}, {x}, {}, scope.nameOf("repeat"));
}

Value feedForward(const ModuleScope& scope, Value x, int channels) {
    const Value wide = scope.linear("net.0.proj", x, channels * 8);
    const Value gated = scope.graph().add(Geglu{}, {wide}, {}, scope.nameOf("net.0"));
    return scope.linear("net.2", gated, channels);
}

Value transformerBlock(const ModuleScope& scope, Value x, Value context, const AttentionShape& shape) {
    const Value forSelf = scope.layerNorm("norm1", x);
    x = scope.add(attention(scope.child("attn1"), forSelf, forSelf, shape), x);
    x = widened(scope, x, scope.shapeOf(context).batch());
    x = scope.add(attention(scope.child("attn2"), scope.layerNorm("norm2", x), context, shape), x);
    return scope.add(feedForward(scope.child("ff"), scope.layerNorm("norm3", x), shape.channels), x);
}

}  // namespace

Value attention(const ModuleScope& scope, Value x, Value context, const AttentionShape& shape) {
    const ModuleScope::LinearOptions noBias{.bias = false};
    const Value q = scope.linear("to_q", x, shape.channels, noBias);
    const Value k = scope.linear("to_k", context, shape.channels, noBias);
    const Value v = scope.linear("to_v", context, shape.channels, noBias);
    Attention op;
    op.heads = shape.heads;
    op.headSize = shape.channels / shape.heads;
    const Value mixed = scope.graph().add(op, {q, k, v}, {}, scope.nameOf("attention"));
    return scope.linear("to_out.0", mixed, shape.channels, {.bias = shape.outBias});
}

Value spatialTransformer(const ModuleScope& scope, Value image, Value context, int heads, int layers, int normGroups) {
    const Shape imageShape = scope.shapeOf(image);
    const int channels = static_cast<int>(imageShape.channels());
    const AttentionShape shape{.channels = channels, .heads = heads};
    // A 1x1 convolution of [N,H,W,C] and a linear of [N,T,C] are the same product here.
    const Value normed = scope.groupNorm("norm", image, normGroups, kTransformerNormEpsilon);
    Value x = scope.linear("proj_in", scope.toTokens(normed), channels);
    for (int i = 0; i < layers; ++i)
        x = transformerBlock(scope.child(fmt::format("transformer_blocks.{}", i)), x, context, shape);
    const Value projected = scope.toImage(scope.linear("proj_out", x, channels), imageShape);
    return scope.add(projected, widened(scope, image, scope.shapeOf(projected).batch()));
}

}  // namespace reelbrush::diffusion
