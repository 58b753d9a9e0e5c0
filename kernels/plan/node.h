#pragma once

#include "kernels/ops/activation.h"
#include "kernels/ops/arrange.h"
#include "kernels/ops/attention.h"
#include "kernels/ops/conv2d.h"
#include "kernels/ops/elementwise.h"
#include "kernels/ops/geglu.h"
#include "kernels/ops/group_norm.h"
#include "kernels/ops/layer_norm.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/resample.h"
#include "kernels/ops/timestep_embedding.h"

#include <string>
#include <variant>
#include <vector>

namespace reelbrush::kernels {

/// A symbolic tensor of a Graph: f32, of known shape, produced by one node or fed by the caller.
struct Value {
    int index = -1;
    bool operator==(const Value&) const = default;
};

using Op =
    std::variant<ActivationOp, Conv2d, Linear, GroupNorm, LayerNorm, Attention, Geglu, UpsampleNearest, PixelUnshuffle,
                 PixelShuffle, Add, AddChannels, Affine, ScaleBy, SoftClamp, ConcatChannels, ConcatTokens, RepeatBatch,
                 SliceBatch, ConcatBatch, SwapAxes, Reshape, Constant, TimestepEmbedding>;

/// One op applied: what it reads, what it writes, which weights it uses (names, in the order its header gives).
struct Node {
    Op op;
    std::vector<Value> inputs;
    Value output;
    std::vector<std::string> weights;
    std::string name;  ///< for messages and traces: the module's name in the model
};

/// "conv2d", "linear", ...: the op class, for reports.
const char* nameOf(const Op& op);

}  // namespace reelbrush::kernels
