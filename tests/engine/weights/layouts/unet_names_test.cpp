#include "engine/weights/layouts/unet_names.h"

#include "engine/weights/model_weights.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <string>

namespace reelbrush::weights {

namespace {

using testing::SafetensorsWriter;
using testing::ScratchFolder;

std::string translated(const std::string& name, int layersPerBlock) {
    const NameTranslation translation = ldmUnetName(name, layersPerBlock);
    return translation.weights.empty() ? std::string() : translation.weights.front().name;
}

TEST(UnetNames, BlocksAreNumberedByTheirLayers) {
    struct Case {
        int layers;
        const char* stored;
        const char* expected;
    };
    const Case cases[] = {
        {2, "input_blocks.4.0.in_layers.0.weight", "down_blocks.1.resnets.0.norm1.weight"},
        {2, "input_blocks.6.0.op.bias", "down_blocks.1.downsamplers.0.conv.bias"},
        {1, "input_blocks.3.1.norm.weight", "down_blocks.1.attentions.0.norm.weight"},
        {1, "input_blocks.2.0.op.weight", "down_blocks.0.downsamplers.0.conv.weight"},
        {3, "input_blocks.15.0.emb_layers.1.bias", "down_blocks.3.resnets.2.time_emb_proj.bias"},
        {3, "input_blocks.16.0.op.bias", "down_blocks.3.downsamplers.0.conv.bias"},
        {2, "output_blocks.2.1.conv.weight", "up_blocks.0.upsamplers.0.conv.weight"},
        {2, "output_blocks.5.2.conv.weight", "up_blocks.1.upsamplers.0.conv.weight"},
        {2, "output_blocks.8.0.skip_connection.bias", "up_blocks.2.resnets.2.conv_shortcut.bias"},
        {1, "output_blocks.7.1.proj_in.weight", "up_blocks.3.attentions.1.proj_in.weight"},
        {2, "middle_block.2.out_layers.3.weight", "mid_block.resnets.1.conv2.weight"},
        {2, "middle_block.1.transformer_blocks.9.ff.net.2.bias",
         "mid_block.attentions.0.transformer_blocks.9.ff.net.2.bias"},
        {2, "label_emb.0.2.weight", "add_embedding.linear_2.weight"},
    };
    for (const Case& each : cases) EXPECT_EQ(translated(each.stored, each.layers), each.expected) << each.stored;
}

TEST(UnetNames, WhatBelongsToNoModuleIsUnknown) {
    for (const char* name :
         {"", "input_blocks.", "input_blocks.1", "input_blocks.x.0.op.bias", "input_blocks.-1.0.op.bias",
          "input_blocks.99999999999.0.op.bias", "input_blocks.2147483647.0.strange.bias",
          "input_blocks.3.0.in_layers.0.weight", "output_blocks.0.0.op.weight", "middle_block.3.norm.weight",
          "time_embed.1.weight", "out.1.weight"})
        EXPECT_FALSE(ldmUnetName(name, 2).isKnown) << name;
}

TEST(UnetNames, LayersAreCountedUpToTheFirstDownsampler) {
    const ScratchFolder scratch;
    const auto layersOf = [&](std::initializer_list<const char*> names) {
        SafetensorsWriter writer;
        for (const char* name : names) writer.addZeros(name, {1});
        const auto weights = ModelWeights::open(writer.write(scratch.path() / "m.safetensors"));
        return ldmLayersPerBlock(**weights, "p.");
    };
    EXPECT_EQ(layersOf({"input_blocks.0.0.weight"}), 0);
    EXPECT_EQ(layersOf({"p.input_blocks.0.0.weight", "p.input_blocks.1.0.x", "p.input_blocks.2.0.op.weight"}), 1);
    EXPECT_EQ(layersOf({"p.input_blocks.0.0.weight", "p.input_blocks.1.0.x", "p.input_blocks.2.0.x",
                        "p.input_blocks.3.0.op.weight", "p.input_blocks.4.0.x"}),
              2);
    EXPECT_EQ(layersOf({"p.input_blocks.0.0.weight", "p.input_blocks.1.0.x", "p.input_blocks.2.0.x"}), 2);
}

}  // namespace

}  // namespace reelbrush::weights
