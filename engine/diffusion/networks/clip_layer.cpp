#include "engine/diffusion/networks/clip_layer.h"

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr ModuleScope::LinearOptions kFloat{.mayQuantise = false};

Value selfAttention(const ModuleScope& scope, Value x, const ClipLayer& layer) {
    Attention op;
    op.heads = layer.heads;
    op.headSize = layer.hiddenSize / layer.heads;
    op.causal = layer.causal;
    const Value q = scope.linear("q_proj", x, layer.hiddenSize, kFloat);
    const Value k = scope.linear("k_proj", x, layer.hiddenSize, kFloat);
    const Value v = scope.linear("v_proj", x, layer.hiddenSize, kFloat);
    const Value mixed = scope.graph().add(op, {q, k, v}, {}, scope.nameOf("attention"));
    return scope.linear("out_proj", mixed, layer.hiddenSize, kFloat);
}

}  // namespace

Value clipLayer(const ModuleScope& scope, Value x, const ClipLayer& layer) {
    const Value normed = scope.layerNorm("layer_norm1", x, layer.normEpsilon);
    x = scope.add(selfAttention(scope.child("self_attn"), normed, layer), x);
    Value hidden = scope.layerNorm("layer_norm2", x, layer.normEpsilon);
    hidden = scope.linear("mlp.fc1", hidden, layer.intermediateSize, kFloat);
    hidden = scope.activation(layer.activation, hidden);
    return scope.add(scope.linear("mlp.fc2", hidden, layer.hiddenSize, kFloat), x);
}

}  // namespace reelbrush::diffusion
