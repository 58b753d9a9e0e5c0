#include "engine/weights/layouts/motion_inference.h"

#include "engine/weights/layouts/weight_shapes.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace reelbrush::weights {

namespace {

constexpr const char* kFirstPositions = "down_blocks.0.motion_modules.0.transformer_blocks.0.pos_embed.pe";
constexpr int kComputedPositions = 32;

int modulesIn(const WeightShapes& shapes, const std::string& block) {
    return shapes.count(block + ".motion_modules.", ".norm.weight");
}

}  // namespace

int motionPositions(const ListedWeights& motion) {
    return static_cast<int>(WeightShapes(motion).dim(kFirstPositions, 1));
}

Result<nlohmann::json> inferMotionConfig(const ListedWeights& motion) {
    const WeightShapes shapes(motion);
    const int levels = shapes.count("down_blocks.", ".motion_modules.0.norm.weight");
    const int layers = modulesIn(shapes, "down_blocks.0");
    if (levels == 0) return fail(StatusCode::BadInput, "it lacks the motion modules of 'down_blocks.0'");
    std::vector<std::int64_t> channels;
    for (int i = 0; i < levels; ++i) {
        channels.push_back(shapes.dim(fmt::format("down_blocks.{}.motion_modules.0.norm.weight", i), 0));
        const int down = modulesIn(shapes, fmt::format("down_blocks.{}", i));
        const int up = modulesIn(shapes, fmt::format("up_blocks.{}", i));
        if (down != layers || up != layers + 1)
            return fail(StatusCode::BadInput,
                        fmt::format("it has {} motion modules in 'down_blocks.{}' and {} in 'up_blocks.{}' where {} "
                                    "and {} are needed; the file is incomplete",
                                    down, i, up, i, layers, layers + 1));
    }
    const int middle = modulesIn(shapes, "mid_block");
    const int depth = shapes.count("down_blocks.0.motion_modules.0.transformer_blocks.", ".norm1.weight");
    const int positions = motionPositions(motion);
    return nlohmann::json{
        {"_class_name", "MotionAdapter"},
        {"block_out_channels", channels},
        {"motion_layers_per_block", layers},
        {"motion_max_seq_length", positions > 0 ? positions : kComputedPositions},
        {"motion_mid_block_layers_per_block", middle > 0 ? middle : 1},
        {"motion_norm_num_groups", 32},
        {"motion_num_attention_heads", 8},
        {"motion_transformer_layers_per_block", depth},
        {"use_motion_mid_block", middle > 0},
    };
}

}  // namespace reelbrush::weights
