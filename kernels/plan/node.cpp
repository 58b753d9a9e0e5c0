#include "kernels/plan/node.h"

namespace reelbrush::kernels {

namespace {

struct Namer {
    const char* operator()(const ActivationOp&) const { return "activation"; }
    const char* operator()(const Conv2d&) const { return "conv2d"; }
    const char* operator()(const Linear&) const { return "linear"; }
    const char* operator()(const GroupNorm&) const { return "group_norm"; }
    const char* operator()(const LayerNorm&) const { return "layer_norm"; }
    const char* operator()(const Attention&) const { return "attention"; }
    const char* operator()(const Geglu&) const { return "geglu"; }
    const char* operator()(const UpsampleNearest&) const { return "upsample"; }
    const char* operator()(const PixelUnshuffle&) const { return "pixel_unshuffle"; }
    const char* operator()(const PixelShuffle&) const { return "pixel_shuffle"; }
    const char* operator()(const Add&) const { return "add"; }
    const char* operator()(const AddChannels&) const { return "add_channels"; }
    const char* operator()(const Affine&) const { return "affine"; }
    const char* operator()(const ScaleBy&) const { return "scale_by"; }
    const char* operator()(const SoftClamp&) const { return "soft_clamp"; }
    const char* operator()(const ConcatChannels&) const { return "concat_channels"; }
    const char* operator()(const ConcatTokens&) const { return "concat_tokens"; }
    const char* operator()(const RepeatBatch&) const { return "repeat_batch"; }
    const char* operator()(const SliceBatch&) const { return "slice_batch"; }
    const char* operator()(const ConcatBatch&) const { return "concat_batch"; }
    const char* operator()(const SwapAxes&) const { return "swap_axes"; }
    const char* operator()(const Reshape&) const { return "reshape"; }
    const char* operator()(const Constant&) const { return "constant"; }
    const char* operator()(const TimestepEmbedding&) const { return "timestep_embedding"; }
};

}  // namespace

const char* nameOf(const Op& op) {
    return std::visit(Namer{}, op);
}

}  // namespace reelbrush::kernels
