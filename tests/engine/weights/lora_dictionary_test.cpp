#include "engine/weights/lora_dictionary.h"

#include "engine/weights/diffusion_model.h"
#include "engine/weights/lora_key.h"
#include "engine/weights/lora_ldm_names.h"
#include "engine/weights/model_weights.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace reelbrush::weights {

namespace {

using testing::SafetensorsWriter;
using testing::ScratchFolder;

LoraModule moduleOf(std::string_view key) {
    const LoraKey parsed = parseLoraKey(key);
    LoraModule module;
    module.key = key;
    module.component = parsed.component;
    module.module = parsed.module;
    return module;
}

std::string found(const LoraDictionary& dictionary, std::string_view key) {
    const LoraPlace* place = dictionary.find(moduleOf(key));
    return place ? place->part + "/" + place->module + "@" + place->block : "none";
}

/// Every module of a model in a single file has, under the LDM spelling, a weight of exactly that name in the file.
void expectSpelledAsStored(const std::filesystem::path& path) {
    const auto model = openDiffusionModel(path);
    ASSERT_TRUE(model) << model.error().message;
    const auto stored = ModelWeights::open(path);
    ASSERT_TRUE(stored) << stored.error().message;
    const LoraLdmNames names(model->unet.weights->names());
    std::set<std::string> spelled;
    for (const std::string& name : model->unet.weights->names()) {
        const std::size_t dot = name.rfind('.');
        const std::string ldm = "model.diffusion_model." + names.spell(name.substr(0, dot)) + name.substr(dot);
        EXPECT_TRUE((*stored)->contains(ldm)) << name << " is spelled " << ldm;
        spelled.insert(ldm);
    }
    EXPECT_EQ(spelled.size(), model->unet.weights->names().size());
}

TEST(LoraLdmNames, AreTheNamesOfTheSingleFile) {
    expectSpelledAsStored(testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors");
}

TEST(LoraLdmNames, AreTheNamesOfTheSingleFileOfSdxl) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "the larger fixtures are not there: set REELBRUSH_FIXTURES";
    expectSpelledAsStored(*shared / "fixtures" / "sdxl-tiny" / "single_file.safetensors");
}

TEST(LoraLdmNames, LeavesStrangeNamesAlone) {
    const std::vector<std::string> names = {
        "down_blocks.0.resnets.0.conv1.weight", "up_blocks.0.resnets.0.conv1.weight",
        "down_blocks.99999999999.resnets.0.conv1.weight", "down_blocks.-1.resnets.0.conv1.weight"};
    const LoraLdmNames ldm(names);
    EXPECT_EQ(ldm.spell("down_blocks.0.resnets.0.conv1"), "input_blocks.1.0.in_layers.2");
    for (const char* name :
         {"", "down_blocks", "down_blocks.", "down_blocks.0", "down_blocks.0.", "down_blocks.7.resnets.0.conv1",
          "down_blocks.0.resnets.1.conv1", "down_blocks.0.resnets.0.conv9", "mid_block.resnets.x.conv1",
          "mid_block.other", "up_blocks.99999999999.resnets.0.conv1", "conv_in.weight"})
        EXPECT_EQ(ldm.spell(name), "") << name;
}

TEST(LoraDictionary, FindsEverySpellingOfOneLayer) {
    const auto model = openDiffusionModel(testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const LoraDictionary dictionary({{"unet", model->unet.weights}, {"text_encoder", model->textEncoder.weights}});
    const std::string attention = "unet/down_blocks.1.attentions.0.transformer_blocks.0.attn1.";
    for (const char* key : {"lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_q",
                            "lora_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_q",
                            "lycoris_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_q",
                            "unet.down_blocks.1.attentions.0.transformer_blocks.0.attn1.processor.to_q",
                            "unet.down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_q",
                            "base_model.model.down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_q",
                            "diffusion_model.input_blocks.4.1.transformer_blocks.0.attn1.to_q",
                            "down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_q"})
        EXPECT_EQ(found(dictionary, key), attention + "to_q@IN04") << key;
    for (const char* key : {"lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_out_0",
                            "unet.down_blocks.1.attentions.0.transformer_blocks.0.attn1.processor.to_out",
                            "lora_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_out_0"})
        EXPECT_EQ(found(dictionary, key), attention + "to_out.0@IN04") << key;
    EXPECT_EQ(found(dictionary, "lora_unet_mid_block_attentions_0_proj_in"), "unet/mid_block.attentions.0.proj_in@M00");
    EXPECT_EQ(found(dictionary, "lora_unet_output_blocks_2_1_conv"), "unet/up_blocks.0.upsamplers.0.conv@OUT02");
    EXPECT_EQ(found(dictionary, "lora_unet_input_blocks_3_0_op"), "unet/down_blocks.0.downsamplers.0.conv@IN03");
    EXPECT_EQ(found(dictionary, "lora_unet_time_embed_0"), "unet/time_embedding.linear_1@");
    const std::string text = "text_encoder/text_model.encoder.layers.1.self_attn.out_proj@BASE";
    for (const char* key :
         {"lora_te_text_model_encoder_layers_1_self_attn_out_proj",
          "lora_te1_text_model_encoder_layers_1_self_attn_out_proj",
          "text_encoder.text_model.encoder.layers.1.self_attn.out_proj",
          "text_encoder.text_model.encoder.layers.1.self_attn.to_out",
          "text_encoder.encoder.layers.1.self_attn.out_proj", "text_model.encoder.layers.1.self_attn.out_proj"})
        EXPECT_EQ(found(dictionary, key), text) << key;
    for (const char* key : {"lora_te2_text_model_encoder_layers_1_self_attn_out_proj", "lora_unet_", "", "unet.",
                            "lora_unet_down_blocks_1", "lora_te_down_blocks_1_attentions_0_proj_in"})
        EXPECT_EQ(found(dictionary, key), "none") << key;
}

TEST(LoraDictionary, NeverGuessesBetweenTwoLayersOfOneSpelling) {
    const ScratchFolder scratch;
    SafetensorsWriter writer;
    writer.addZeros("a_b.weight", {1, 1}).addZeros("a.b.weight", {1, 1}).addZeros("a.c_d.weight", {1, 1});
    const auto weights = *ModelWeights::open(writer.write(scratch.path() / "model.safetensors"));
    const LoraDictionary dictionary({{"unet", weights}});
    EXPECT_EQ(found(dictionary, "lora_unet_a_b"), "none");
    EXPECT_EQ(found(dictionary, "lora_unet_a_c_d"), "unet/a.c_d@");
    EXPECT_EQ(found(dictionary, "unet.a.c_d"), "unet/a.c_d@");
}

TEST(LoraDictionary, KnowsBothTextEncodersOfSdxl) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "the larger fixtures are not there: set REELBRUSH_FIXTURES";
    const auto model = openDiffusionModel(*shared / "fixtures" / "sdxl-tiny" / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const LoraDictionary dictionary({{"unet", model->unet.weights},
                                     {"text_encoder", model->textEncoder.weights},
                                     {"text_encoder_2", model->textEncoder2.weights}});
    const LoraLdmNames ldm(model->unet.weights->names());
    const std::pair<const char*, const char*> prefixes[] = {
        {"unet", "lora_unet_"}, {"text_encoder", "lora_te1_"}, {"text_encoder_2", "lora_te2_"}};
    for (const auto& [part, prefix] : prefixes)
        for (const std::string& name : dictionary.parts().find(part)->second->names()) {
            if (!name.ends_with(".weight")) continue;
            const std::string module = name.substr(0, name.rfind('.'));
            for (std::string spelled : {module, ldm.spell(module)}) {
                if (spelled.empty()) continue;
                std::ranges::replace(spelled, '.', '_');
                const LoraPlace* place = dictionary.find(moduleOf(prefix + spelled));
                ASSERT_TRUE(place) << prefix << spelled;
                EXPECT_EQ(place->module, module);
                EXPECT_EQ(place->part, part);
            }
        }
    EXPECT_EQ(found(dictionary, "lora_te1_text_model_encoder_layers_0_mlp_fc1"),
              "text_encoder/text_model.encoder.layers.0.mlp.fc1@BASE");
    EXPECT_EQ(found(dictionary, "lora_te2_text_model_encoder_layers_0_self_attn_q_proj"),
              "text_encoder_2/text_model.encoder.layers.0.self_attn.q_proj@BASE");
    EXPECT_EQ(found(dictionary, "lora_unet_output_blocks_2_2_conv"), "unet/up_blocks.0.upsamplers.0.conv@OUT02");
    EXPECT_EQ(found(dictionary, "lora_unet_label_emb_0_0"), "unet/add_embedding.linear_1@");
    EXPECT_EQ(found(dictionary, "lora_unet_up_blocks_0_attentions_1_proj_in"),
              "unet/up_blocks.0.attentions.1.proj_in@OUT01");
}

}  // namespace

}  // namespace reelbrush::weights
