#pragma once

#include "kernels/plan/node.h"

#include <span>
#include <vector>

namespace reelbrush::kernels {

/// One application of an op: everything that its reference reads, and where it writes.
struct ReferenceCall {
    std::span<const Shape> inputShapes;
    Shape outputShape;
    std::span<const float* const> inputs;
    /// As f32, in the order that the op's header gives; empty where absent.
    std::span<const std::vector<float>> weights;
    float* output = nullptr;
};

// What each op's header promises, in plain loops over f32 values with double sums. One overload per op.
void computeReference(const ActivationOp& op, const ReferenceCall& call);
void computeReference(const Conv2d& op, const ReferenceCall& call);
void computeReference(const Linear& op, const ReferenceCall& call);
void computeReference(const GroupNorm& op, const ReferenceCall& call);
void computeReference(const LayerNorm& op, const ReferenceCall& call);
void computeReference(const Attention& op, const ReferenceCall& call);
void computeReference(const Geglu& op, const ReferenceCall& call);
void computeReference(const UpsampleNearest& op, const ReferenceCall& call);
void computeReference(const PixelUnshuffle& op, const ReferenceCall& call);
void computeReference(const PixelShuffle& op, const ReferenceCall& call);
void computeReference(const Add& op, const ReferenceCall& call);
void computeReference(const AddChannels& op, const ReferenceCall& call);
void computeReference(const Affine& op, const ReferenceCall& call);
void computeReference(const ScaleBy& op, const ReferenceCall& call);
void computeReference(const SoftClamp& op, const ReferenceCall& call);
void computeReference(const ConcatChannels& op, const ReferenceCall& call);
void computeReference(const ConcatTokens& op, const ReferenceCall& call);
void computeReference(const RepeatBatch& op, const ReferenceCall& call);
void computeReference(const SliceBatch& op, const ReferenceCall& call);
void computeReference(const ConcatBatch& op, const ReferenceCall& call);
void computeReference(const SwapAxes& op, const ReferenceCall& call);
void computeReference(const Reshape& op, const ReferenceCall& call);
void computeReference(const Constant& op, const ReferenceCall& call);
void computeReference(const TimestepEmbedding& op, const ReferenceCall& call);

/// A single value through a non-linearity.
double activateReference(Activation kind, double x);

}  // namespace reelbrush::kernels
