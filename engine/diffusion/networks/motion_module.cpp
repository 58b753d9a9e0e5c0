#include "engine/diffusion/networks/motion_module.h"

#include "engine/diffusion/networks/config_fields.h"
#include "engine/diffusion/networks/module_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr float kNormEpsilon = 1e-6f;
constexpr std::string_view kPositions = "pos_embed.pe";

/// [P,F,C] → [P,F,C]: self-attention over the frames of each pixel, positions added before q, k and v.
Value attendFrames(const ModuleScope& block, const char* norm, const char* module, Value x, Value positions,
                   const AttentionShape& shape) {
    const Value placed = block.add(block.layerNorm(norm, x), positions);
    return block.add(attention(block.child(module), placed, placed, shape), x);
}

Value transformerBlock(const ModuleScope& block, Value x, int heads) {
    const Shape tokens = block.shapeOf(x);
    const AttentionShape shape{.channels = static_cast<int>(tokens.channels()), .heads = heads};
    const std::string name = block.nameOf(kPositions);
    const Value positions = block.graph().add(Constant{Shape{1, tokens[1], tokens[2]}}, {}, {name}, name);
    x = attendFrames(block, "norm1", "attn1", x, positions, shape);
    x = attendFrames(block, "norm2", "attn2", x, positions, shape);
    return block.add(gatedFeedForward(block.child("ff"), block.layerNorm("norm3", x), shape.channels), x);
}

Value motionModule(const ModuleScope& scope, Value images, const MotionModuleConfig& config, std::int64_t frames) {
    Graph& graph = scope.graph();
    const Shape shape = scope.shapeOf(images);
    const std::int64_t prompts = shape[0] / frames, pixels = shape[1] * shape[2], channels = shape[3];
    // One statistic for all frames of the window: they lie one below the other.
    Value x = graph.add(Reshape{Shape{prompts, frames * shape[1], shape[2], channels}}, {images});
    x = scope.groupNorm("norm", x, config.normGroups, kNormEpsilon);
    x = graph.add(Reshape{Shape{prompts, frames, pixels, channels}}, {x});
    x = graph.add(SwapAxes{}, {x}, {}, scope.nameOf("by_pixel"));
    x = graph.add(Reshape{Shape{prompts * pixels, frames, channels}}, {x});
    x = scope.linear("proj_in", x, static_cast<int>(channels));
    for (int i = 0; i < config.layers; ++i)
        x = transformerBlock(scope.child(fmt::format("transformer_blocks.{}", i)), x, config.heads);
    x = scope.linear("proj_out", x, static_cast<int>(channels));
    x = graph.add(Reshape{Shape{prompts, pixels, frames, channels}}, {x});
    x = graph.add(SwapAxes{}, {x}, {}, scope.nameOf("by_frame"));
    return scope.add(graph.add(Reshape{shape}, {x}), images);
}

}  // namespace

Result<MotionModuleConfig> MotionModuleConfig::fromJson(const nlohmann::json& json) {
    if (!json.is_object()) return fail(StatusCode::BadInput, "motion module configuration: it is no JSON object");
    const ConfigFields fields(json, "motion module configuration");
    MotionModuleConfig config;
    RB_ASSIGN(config.heads, fields.positive("motion_num_attention_heads", 8));
    RB_ASSIGN(config.normGroups, fields.positive("motion_norm_num_groups", 32));
    RB_ASSIGN(config.mostFrames, fields.positive("motion_max_seq_length", 32));
    RB_ASSIGN(config.hasMiddle, fields.flag("use_motion_mid_block", false));
    std::vector<int> layers{1};
    if (json.contains("motion_transformer_layers_per_block")) {
        RB_ASSIGN(layers, fields.positives("motion_transformer_layers_per_block", 0));
    }
    if (layers.empty() || std::ranges::any_of(layers, [&](int count) { return count != layers[0]; }))
        return fail(StatusCode::Unsupported, "motion modules of different depths are not supported");
    config.layers = layers[0];
    return config;
}

UnetHooks withMotion(UnetHooks hooks, Graph& graph, const MotionModuleConfig& config, int frames) {
    const auto inner = hooks.afterLayer;
    hooks.afterLayer = [&graph, inner, config, frames](const std::string& block, int index, Value x) {
        if (inner) x = inner(block, index, x);
        if (block == "mid_block" && !config.hasMiddle) return x;
        return motionModule(ModuleScope(graph, fmt::format("{}.motion_modules.{}", block, index)), x, config, frames);
    };
    return hooks;
}

bool MotionWeights::contains(std::string_view name) const {
    return inner_.contains(name) || name.ends_with(kPositions);
}

Result<WeightView> MotionWeights::find(std::string_view name) const {
    if (!name.ends_with(kPositions)) return inner_.find(name);
    if (frames_ > mostFrames_)
        return fail(StatusCode::BadInput, fmt::format("the motion module knows windows of at most {} frames, and {} "
                                                      "are asked for",
                                                      mostFrames_, frames_));
    if (!inner_.contains(name)) {
        // As wide as the layer that they are added for.
        const std::string norm = std::string(name.substr(0, name.size() - kPositions.size())) + "norm1.weight";
        RB_ASSIGN(const WeightView like, inner_.find(norm));
        return computedPositions(like.shape.elements());
    }
    RB_ASSIGN(WeightView view, inner_.find(name));
    if (view.shape.rank() != 3 || view.shape[0] != 1 || view.shape[1] < frames_)
        return fail(StatusCode::BadInput, fmt::format("the positions '{}' have shape {}, too few for windows of {} "
                                                      "frames",
                                                      name, view.shape.toString(), frames_));
    view.shape = Shape{1, frames_, view.shape[2]};  // the first rows come first
    return view;
}

WeightView MotionWeights::computedPositions(std::int64_t channels) const {
    const std::lock_guard lock(mutex_);
    std::vector<float>& values = computed_[channels];
    if (values.empty()) {
        const double base = std::log(10000.0) / static_cast<double>(channels);
        for (int frame = 0; frame < frames_; ++frame)
            for (std::int64_t c = 0; c < channels; ++c) {
                const double angle = frame * std::exp(-base * static_cast<double>(c / 2 * 2));
                values.push_back(static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
            }
    }
    WeightView view;
    view.shape = Shape{1, frames_, channels};
    view.data = values.data();
    return view;
}

}  // namespace reelbrush::diffusion
