#include "engine/diffusion/networks/unet_graph.h"

#include "engine/diffusion/networks/module_scope.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// Sum of two tensors of which either may have a smaller batch, whose members are then repeated.
Value sum(const ModuleScope& root, Value a, Value b) {
    if (root.shapeOf(a).batch() < root.shapeOf(b).batch()) std::swap(a, b);
    return root.add(a, root.shapeOf(b).batch() == 1 ? b : root.widened(b, root.shapeOf(a).batch()));
}

}  // namespace

Value buildUnet(Graph& graph, const UnetConfig& config, const UnetInputs& inputs, const UnetHooks& hooks) {
    const ModuleScope root(graph, "");
    const Value embedding = unetEmbedding(root, config, inputs.conditions);
    // Members of the batch that are told different things differ from the first resnet on.
    Value x = root.widened(inputs.latents, root.shapeOf(embedding).batch());
    x = root.conv3x3("conv_in", x, config.levels[0].channels, {.mayQuantise = false});

    UnetBlocks blocks(root, config, embedding, inputs.context, hooks);
    x = blocks.middle(blocks.down(x));
    if (!inputs.controls.empty()) {
        std::vector<Value>& skips = blocks.skips();
        for (std::size_t i = 0; i < std::min(skips.size(), inputs.controls.size()); ++i)
            skips[i] = sum(root, skips[i], inputs.controls[i]);
        x = sum(root, x, inputs.controls.back());
    }
    x = blocks.up(x);
    x = root.groupNorm("conv_norm_out", x, config.normGroups, config.normEpsilon);
    x = root.activation(Activation::Silu, x);
    return root.conv3x3("conv_out", x, config.outChannels, {.mayQuantise = false});
}

std::vector<Shape> controlShapes(const UnetConfig& config, int height, int width, int batch) {
    std::vector<Shape> shapes{{batch, height, width, config.levels[0].channels}};
    for (std::size_t i = 0; i < config.levels.size(); ++i) {
        const int channels = config.levels[i].channels;
        for (int layer = 0; layer < config.layersPerBlock; ++layer) shapes.push_back({batch, height, width, channels});
        if (i + 1 == config.levels.size()) break;
        height = (height + 1) / 2;
        width = (width + 1) / 2;
        shapes.push_back({batch, height, width, channels});
    }
    shapes.push_back({batch, height, width, config.levels.back().channels});
    return shapes;
}

}  // namespace reelbrush::diffusion
