#include "tests/engine/weights/tiny_models.h"

#include "tests/engine/weights/checkpoint_copy.h"

#include <fmt/format.h>

namespace reelbrush::testing {

void addMotionLayers(SafetensorsWriter& writer, const std::string& module, int positions) {
    const std::string transformer = module + ".temporal_transformer.";
    for (const char* layer : {"norm", "proj_in", "proj_out"}) {
        writer.addZeros(transformer + layer + ".weight", {32});
        writer.addZeros(transformer + layer + ".bias", {32});
    }
    const std::string block = transformer + "transformer_blocks.0.";
    for (int i = 0; i < 2; ++i) {
        const std::string attention = fmt::format("{}attention_blocks.{}.", block, i);
        for (const char* projection : {"to_q", "to_k", "to_v", "to_out.0"})
            writer.addZeros(attention + projection + ".weight", {32, 32});
        if (positions > 0) writer.addZeros(attention + "pos_encoder.pe", {1, positions, 32});
        writer.addZeros(fmt::format("{}norms.{}.weight", block, i), {32});
    }
    writer.addZeros(block + "ff_norm.weight", {32});
    writer.addZeros(block + "ff.net.0.proj.weight", {256, 32});
}

SafetensorsWriter tinySd2() {
    SafetensorsWriter writer;
    const auto checkpoint = tinyCheckpoint();
    CopyOptions options;
    options.rename = [](const std::string& name) {
        return name.starts_with("cond_stage_model.") || name == kSpreadBias ? std::string() : name;
    };
    options.squeezed = true;
    copyWeights(*checkpoint, options, writer);
    addOpenClip(*checkpoint, "cond_stage_model.model.", writer);
    return writer;
}

SafetensorsWriter tinyControlNet(const std::string& prefix, bool squeezed) {
    SafetensorsWriter writer;
    CopyOptions options;
    options.squeezed = squeezed;
    options.rename = [&](const std::string& name) {
        for (const char* start : {"input_blocks.", "middle_block.", "time_embed."}) {
            const std::string from = std::string("model.diffusion_model.") + start;
            if (name.starts_with(from)) return prefix + start + name.substr(from.size());
        }
        return std::string();
    };
    copyWeights(*tinyCheckpoint(), options, writer);
    const std::int64_t hints[] = {3, 16, 16, 32, 32, 96, 96, 256, 32};
    for (int i = 0; i < 8; ++i) {
        writer.addZeros(fmt::format("{}input_hint_block.{}.weight", prefix, 2 * i), {hints[i + 1], hints[i], 3, 3});
        writer.addZeros(fmt::format("{}input_hint_block.{}.bias", prefix, 2 * i), {hints[i + 1]});
    }
    for (int i = 0; i < 12; ++i) {
        const std::int64_t width = i < 10 ? 32 : 64;
        writer.addZeros(fmt::format("{}zero_convs.{}.0.weight", prefix, i), {width, width, 1, 1});
        writer.addZeros(fmt::format("{}zero_convs.{}.0.bias", prefix, i), {width});
    }
    writer.addZeros(prefix + "middle_block_out.0.weight", {64, 64, 1, 1});
    writer.addZeros(prefix + "middle_block_out.0.bias", {64});
    return writer;
}

SafetensorsWriter tinyMotionModule(const TinyMotionModule& kind) {
    SafetensorsWriter writer;
    for (int level = 0; level < kind.levels; ++level) {
        for (int i = 0; i < 2; ++i)
            addMotionLayers(writer, fmt::format("{}down_blocks.{}.motion_modules.{}", kind.wrapper, level, i),
                            kind.positions);
        for (int i = 0; i < 3; ++i)
            addMotionLayers(writer, fmt::format("{}up_blocks.{}.motion_modules.{}", kind.wrapper, level, i),
                            kind.positions);
    }
    if (kind.hasMiddle) addMotionLayers(writer, kind.wrapper + "mid_block.motion_modules.0", kind.positions);
    return writer;
}

}  // namespace reelbrush::testing
