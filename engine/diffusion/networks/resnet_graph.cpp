#include "engine/diffusion/networks/resnet_graph.h"

namespace reelbrush::diffusion {

using namespace kernels;

Value resnetBlock(const ModuleScope& scope, Value x, Value activatedEmbedding, int outChannels, int normGroups,
                  float normEpsilon) {
    Value hidden = scope.groupNorm("norm1", x, normGroups, normEpsilon);
    hidden = scope.conv3x3("conv1", scope.activation(Activation::Silu, hidden), outChannels);
    const Value shift = scope.linear("time_emb_proj", activatedEmbedding, outChannels, {.mayQuantise = false});
    hidden = scope.graph().add(AddChannels{}, {hidden, shift}, {}, scope.nameOf("time_emb"));
    hidden = scope.groupNorm("norm2", hidden, normGroups, normEpsilon);
    hidden = scope.conv3x3("conv2", scope.activation(Activation::Silu, hidden), outChannels);
    if (scope.shapeOf(x).channels() != outChannels) x = scope.linear("conv_shortcut", x, outChannels);
    return scope.add(hidden, x);
}

}  // namespace reelbrush::diffusion
