#include "engine/weights/lora_file.h"

#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace reelbrush::weights {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SafetensorsWriter;
using testing::ScratchFolder;

/// One module of rank 2 on a 3 x 4 linear layer, under the given names.
SafetensorsWriter pair(const std::string& down, const std::string& up) {
    SafetensorsWriter writer;
    writer.addZeros(down, {2, 4}).addZeros(up, {3, 2});
    return writer;
}

SafetensorsWriter plainPair() {
    return pair("unet.mid.to_q.lora_A.weight", "unet.mid.to_q.lora_B.weight");
}

class LoraFileTest : public ::testing::Test {
  protected:
    Result<std::shared_ptr<const LoraFile>> open(const SafetensorsWriter& writer) {
        return LoraFile::open(writer.write(scratch_.path() / "style.safetensors"));
    }
    std::string message(const SafetensorsWriter& writer) {
        const auto lora = open(writer);
        return lora ? std::string("opened") : lora.error().message;
    }
    float factor(const SafetensorsWriter& writer) {
        const auto lora = open(writer);
        EXPECT_TRUE(lora) << lora.error().message;
        return lora ? (*lora)->modules().front().factor : std::nanf("");
    }

    ScratchFolder scratch_;
};

TEST_F(LoraFileTest, ReadsEverySpellingOfPeft) {
    struct Spelling {
        const char* before;
        const char* after;
        const char* component;
    };
    for (const Spelling& s :
         {Spelling{"unet.", ".weight", "unet"}, Spelling{"", ".weight", ""},
          Spelling{"base_model.model.", ".weight", ""}, Spelling{"unet.base_model.model.", ".default.weight", "unet"},
          Spelling{"base_model.model.unet.", ".my_style.weight", "unet"},
          Spelling{"text_encoder.", ".weight", "text_encoder"},
          Spelling{"text_encoder_2.", ".default.weight", "text_encoder_2"}}) {
        const std::string before = std::string(s.before) + "mid.attn.to_out.0";
        const auto lora = open(pair(before + ".lora_A" + s.after, before + ".lora_B" + s.after));
        ASSERT_TRUE(lora) << lora.error().message;
        ASSERT_EQ((*lora)->modules().size(), 1u);
        EXPECT_EQ((*lora)->modules()[0].component, s.component);
        EXPECT_EQ((*lora)->modules()[0].module, "mid.attn.to_out.0");
        EXPECT_EQ((*lora)->modules()[0].rank, 2);
        EXPECT_TRUE((*lora)->unreadTensors().empty());
    }
}

TEST_F(LoraFileTest, TakesAlphaFromTensorsThenAdapterMetadataThenTheFile) {
    EXPECT_EQ(factor(plainPair()), 1);
    EXPECT_EQ(factor(plainPair().setMetadata("alpha", "8")), 4);
    EXPECT_EQ(factor(plainPair().setMetadata("alpha", "0.5")), 0.25f);
    EXPECT_EQ(factor(plainPair().setMetadata("alpha", "0")), 1);
    const std::string adapter = R"({"unet.lora_alpha":6,"unet.r":2,"unet.alpha_pattern":{}})";
    EXPECT_EQ(factor(plainPair().setMetadata("alpha", "8").setMetadata("lora_adapter_metadata", adapter)), 3);
    EXPECT_EQ(factor(plainPair().setMetadata("lora_adapter_metadata", R"({"lora_alpha":1})")), 0.5f);
    EXPECT_EQ(factor(plainPair().setMetadata("lora_adapter_metadata", R"({"text_encoder.lora_alpha":1})")), 1);
    EXPECT_EQ(factor(plainPair().addF32("unet.mid.to_q.alpha", {}, {5}).setMetadata("lora_adapter_metadata", adapter)),
              2.5f);
    EXPECT_EQ(factor(plainPair().addF16("unet.mid.to_q.alpha", {1}, {0})), 1);
}

TEST_F(LoraFileTest, FollowsAlphaPatternsAndRankStabilisation) {
    const auto with = [&](const std::string& json) { return plainPair().setMetadata("lora_adapter_metadata", json); };
    EXPECT_EQ(factor(with(R"({"unet.lora_alpha":2,"unet.alpha_pattern":{"to_q":10}})")), 5);
    EXPECT_EQ(factor(with(R"({"unet.lora_alpha":2,"unet.alpha_pattern":{"^mid\\.to_q":10}})")), 5);
    EXPECT_EQ(factor(with(R"({"unet.lora_alpha":2,"unet.alpha_pattern":{"o_q":10}})")), 1);
    EXPECT_EQ(factor(with(R"({"unet.lora_alpha":4,"unet.use_rslora":true})")), static_cast<float>(4 / std::sqrt(2.0)));
    EXPECT_THAT(message(with(R"({"unet.alpha_pattern":{"(a+)+$":1}})")), HasSubstr("regular expression"));
    EXPECT_THAT(message(with(R"({"unet.lora_alpha":"much"})")), HasSubstr("not a number"));
    EXPECT_THAT(message(with("{")), HasSubstr("not a JSON object"));
}

TEST_F(LoraFileTest, RefusesAlphasThatCannotBeRead) {
    for (const char* alpha : {"", "four", "4x", "nan", "inf", "1e999"})
        EXPECT_THAT(message(plainPair().setMetadata("alpha", alpha)), HasSubstr("is not a number")) << alpha;
    EXPECT_THAT(message(plainPair().addF32("unet.mid.to_q.alpha", {2}, {1, 1})), HasSubstr("not one number"));
    EXPECT_THAT(message(plainPair().addF32("unet.mid.to_q.alpha", {}, {std::nanf("")})), HasSubstr("not finite"));
}

TEST_F(LoraFileTest, RefusesMatricesThatDoNotFitTogether) {
    const auto shapes = [&](const SafetensorsWriter::Dims& down, const SafetensorsWriter::Dims& up) {
        SafetensorsWriter writer;
        writer.addZeros("m.lora_A.weight", down).addZeros("m.lora_B.weight", up);
        return message(writer);
    };
    EXPECT_EQ(shapes({4, 8, 3, 3}, {16, 4, 1, 1}), "opened");
    EXPECT_THAT(shapes({4, 8}, {16, 5}), HasSubstr("whose ranks differ"));
    EXPECT_THAT(shapes({4, 8}, {16, 2, 2, 1}), HasSubstr("whose ranks differ"));
    EXPECT_THAT(shapes({4, 8, 3, 3}, {16, 4, 3, 3}), HasSubstr("whose ranks differ"));
    EXPECT_THAT(shapes({8}, {16, 1}), HasSubstr("matrix of shape [8]"));
    EXPECT_THAT(shapes({4, 8, 1, 1, 1}, {16, 4}), HasSubstr("matrix of shape"));
    EXPECT_THAT(shapes({0, 8}, {16, 0}), HasSubstr("matrix of shape [0,8]"));
    SafetensorsWriter integers;
    integers.addI8("m.lora_A.weight", {1, 1}, {1}).addI8("m.lora_B.weight", {1, 1}, {1});
    EXPECT_THAT(message(integers), HasSubstr("is stored as I8"));
}

TEST_F(LoraFileTest, RefusesHalfPairsDuplicatesAndOtherFiles) {
    EXPECT_THAT(message(SafetensorsWriter().addZeros("m.lora_A.weight", {2, 2})),
                HasSubstr("but no up matrix (lora_B)"));
    EXPECT_THAT(message(SafetensorsWriter().addZeros("m.lora_B.weight", {2, 2})),
                HasSubstr("but no down matrix (lora_A)"));
    EXPECT_THAT(message(plainPair().addZeros("unet.mid.to_q.lora_A.default.weight", {2, 4})), HasSubstr("same place"));
    EXPECT_THAT(message(SafetensorsWriter().addZeros("conv.weight", {2, 2})), HasSubstr("is not a LoRA"));
    EXPECT_THAT(message(SafetensorsWriter()), HasSubstr("is not a LoRA"));
    EXPECT_THAT(message(SafetensorsWriter().addZeros("m.lora_A.bias", {2})), HasSubstr("nothing to apply"));
}

TEST_F(LoraFileTest, ListsTensorsThatItDoesNotUnderstand) {
    const auto lora = open(plainPair().addZeros("conv_in.weight", {1}).addZeros("unet.other.alpha", {}));
    ASSERT_TRUE(lora) << lora.error().message;
    EXPECT_THAT((*lora)->unreadTensors(), ElementsAre("conv_in.weight", "unet.other.alpha"));
}

TEST_F(LoraFileTest, NamesTheFamiliesThatItCannotApply) {
    const struct {
        const char* tensor;
        const char* family;
    } cases[] = {
        {"lora_unet_mid.a1.weight", "GLoRA"},   {"lora_unet_mid.oft_blocks", "OFT"},
        {"base_model.model.mid.boft_R", "OFT"}, {"base_model.model.mid.ia3_l", "IA3"},
        {"lora_unet_mid.on_input", "IA3"},
    };
    for (const auto& c : cases) {
        const auto lora = open(plainPair().addZeros("lora_unet_x.dora_scale", {1, 1}).addZeros(c.tensor, {1, 1}));
        ASSERT_FALSE(lora) << c.tensor;
        EXPECT_EQ(lora.error().code, StatusCode::Unsupported);
        EXPECT_THAT(lora.error().message, HasSubstr(c.family)) << c.tensor;
    }
}

TEST_F(LoraFileTest, ReadsEveryPrefixAndEnding) {
    struct Spelling {
        const char *down, *up, *component, *module;
    };
    for (const Spelling& s :
         {Spelling{"lora_unet_mid_to_q.lora_down.weight", "lora_unet_mid_to_q.lora_up.weight", "unet", "mid_to_q"},
          Spelling{"lora_te_a.lora_down.weight", "lora_te_a.lora_up.weight", "text_encoder", "a"},
          Spelling{"lora_te1_a.lora_down.weight", "lora_te1_a.lora_up.weight", "text_encoder", "a"},
          Spelling{"lora_te2_a.lora_down.weight", "lora_te2_a.lora_up.weight", "text_encoder_2", "a"},
          Spelling{"lycoris_a.lora_down.weight", "lycoris_a.lora_up.weight", "", "a"},
          Spelling{"unet.a.processor.to_q_lora.down.weight", "unet.a.processor.to_q_lora.up.weight", "unet",
                   "a.processor.to_q"},
          Spelling{"unet.a.lora.down.weight", "unet.a.lora.up.weight", "unet", "a"},
          Spelling{"text_encoder.a.lora_linear_layer.down.weight", "text_encoder.a.lora_linear_layer.up.weight",
                   "text_encoder", "a"},
          Spelling{"diffusion_model.a.lora_A.weight", "diffusion_model.a.lora_B.weight", "unet", "a"}}) {
        const auto lora = open(pair(s.down, s.up));
        ASSERT_TRUE(lora) << lora.error().message;
        ASSERT_EQ((*lora)->modules().size(), 1u) << s.down;
        EXPECT_EQ((*lora)->modules()[0].component, s.component) << s.down;
        EXPECT_EQ((*lora)->modules()[0].module, s.module);
        EXPECT_TRUE((*lora)->unreadTensors().empty());
    }
}

TEST_F(LoraFileTest, DividesAlphaByTheRankOfEachFamily) {
    const auto with = [](std::initializer_list<std::pair<const char*, SafetensorsWriter::Dims>> tensors) {
        SafetensorsWriter writer;
        for (const auto& [name, shape] : tensors) writer.addZeros(std::string("lora_unet_m.") + name, shape);
        return writer.addF32("lora_unet_m.alpha", {}, {6});
    };
    EXPECT_EQ(
        factor(with({{"hada_w1_a", {5, 2}}, {"hada_w1_b", {2, 7}}, {"hada_w2_a", {5, 3}}, {"hada_w2_b", {3, 7}}})), 3);
    EXPECT_EQ(factor(with({{"lokr_w1", {5, 2}}, {"lokr_w2_a", {4, 3}}, {"lokr_w2_b", {3, 8}}})), 2);
    EXPECT_EQ(factor(with({{"lokr_w1_a", {5, 2}}, {"lokr_w1_b", {2, 2}}, {"lokr_w2", {4, 8}}})), 3);
    EXPECT_EQ(factor(with({{"lokr_w1", {5, 2}}, {"lokr_w2", {4, 8}}})), 1) << "both whole: no rank";
    EXPECT_EQ(factor(with({{"diff", {5, 2}}})), 1);
    EXPECT_EQ(
        factor(with(
            {{"lora_down.weight", {2, 7, 1, 1}}, {"lora_mid.weight", {2, 2, 3, 3}}, {"lora_up.weight", {5, 2, 1, 1}}})),
        3);
}

TEST_F(LoraFileTest, RefusesIncompleteOrMixedModulesOfOtherFamilies) {
    const auto with = [&](std::initializer_list<std::pair<const char*, SafetensorsWriter::Dims>> tensors) {
        SafetensorsWriter writer;
        for (const auto& [name, shape] : tensors) writer.addZeros(std::string("lora_unet_m.") + name, shape);
        return message(writer);
    };
    EXPECT_THAT(with({{"hada_w1_a", {5, 2}}, {"hada_w1_b", {2, 7}}}), HasSubstr("lacks one of its four matrices"));
    EXPECT_THAT(with({{"hada_w1_a", {5, 2}}, {"hada_w1_b", {2, 7}}, {"hada_w2_a", {5, 2}}, {"hada_w2_b", {2, 8}}}),
                HasSubstr("factors of 5 x 7 and 5 x 8"));
    EXPECT_THAT(with({{"hada_w1_a", {5, 2}}, {"hada_w1_b", {3, 7}}, {"hada_w2_a", {5, 2}}, {"hada_w2_b", {2, 7}}}),
                HasSubstr("whose ranks differ"));
    EXPECT_THAT(with({{"lokr_w1", {5, 2}}, {"lokr_w2_a", {4, 3}}}), HasSubstr("Kronecker factors"));
    EXPECT_THAT(with({{"lokr_w1", {5, 2}}, {"lokr_w2_a", {4, 3}}, {"lokr_w2_b", {3, 8}}, {"lokr_t2", {3, 3}}}),
                HasSubstr("which do not fit together"));
    EXPECT_THAT(with({{"lora_down.weight", {2, 7}}, {"lora_mid.weight", {2, 3, 3, 3}}, {"lora_up.weight", {5, 2}}}),
                HasSubstr("whose ranks differ"));
    EXPECT_THAT(with({{"lora_down.weight", {2, 7}}, {"lora_up.weight", {5, 2}}, {"diff", {5, 7}}}),
                HasSubstr("several kinds"));
    EXPECT_THAT(with({{"diff", {5, 7}}, {"dora_scale", {1, 7}}}), HasSubstr("no matrices"));
    EXPECT_THAT(with({{"dora_scale", {1, 7}}}), HasSubstr("nothing to apply"));
}

TEST_F(LoraFileTest, GuessesTheBaseModel) {
    const auto base = [&](const SafetensorsWriter& writer) { return (*open(writer))->baseModel(); };
    EXPECT_EQ(base(plainPair()), "");
    EXPECT_EQ(base(plainPair().setMetadata("modelspec.architecture", "stable-diffusion-xl-v1-base/lora")), "SDXL");
    EXPECT_EQ(base(plainPair().setMetadata("ss_base_model_version", "sd_v1")), "SD 1.5");
    EXPECT_EQ(base(plainPair().setMetadata("modelspec.architecture", "something\x1b new")), "something? new");
    const auto context = [&](std::int64_t width) {
        SafetensorsWriter writer;
        writer.addZeros("unet.a.attn2.to_k.lora_A.weight", {1, width});
        writer.addZeros("unet.a.attn2.to_k.lora_B.weight", {1, 1});
        return base(writer);
    };
    EXPECT_EQ(context(768), "SD 1.5");
    EXPECT_EQ(context(1024), "SD 2.x");
    EXPECT_EQ(context(2048), "SDXL");
    EXPECT_EQ(context(16), "");
    using W = SafetensorsWriter;
    const std::string key = "lora_unet_input_blocks_4_1_transformer_blocks_0_attn2_to_k.";
    const auto kronecker = W().addZeros(key + "lokr_w1", {4, 8}).addZeros(key + "lokr_w2_a", {160, 2});
    EXPECT_EQ(base(W(kronecker).addZeros(key + "lokr_w2_b", {2, 256})), "SDXL");
    EXPECT_EQ(base(W(kronecker).addZeros(key + "lokr_w2_b", {2, 96})), "SD 1.5");
    EXPECT_EQ(base(W().addZeros(key + "diff", {320, 1024})), "SD 2.x");
    const auto named = [&](const std::string& module) {
        return base(W().addZeros(module + ".lora_down.weight", {1, 4}).addZeros(module + ".lora_up.weight", {4, 1}));
    };
    EXPECT_EQ(named("lora_te2_text_model_encoder_layers_0_mlp_fc1"), "SDXL");
    EXPECT_EQ(named("lora_unet_input_blocks_7_1_transformer_blocks_1_attn1_to_q"), "SDXL");
    EXPECT_EQ(named("lora_unet_double_blocks_0_img_attn_qkv"), "Flux");
    EXPECT_EQ(named("lora_unet_joint_blocks_0_x_block_attn_qkv"), "SD 3");
    EXPECT_EQ(named("lora_unet_down_blocks_0_resnets_0_conv1"), "");
}

TEST_F(LoraFileTest, RefusesValuesThatAreNotFinite) {
    for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        SafetensorsWriter writer;
        writer.addF32("m.lora_A.weight", {1, 2}, {1, bad}).addF32("m.lora_B.weight", {1, 1}, {1});
        const auto lora = open(writer);
        ASSERT_TRUE(lora);
        const auto values = (*lora)->values(*(*lora)->modules()[0].part(LoraPart::Down));
        ASSERT_FALSE(values);
        EXPECT_EQ(values.error().code, StatusCode::BadInput);
        EXPECT_THAT(values.error().message, HasSubstr("'m.lora_A.weight' holds a value that is not finite"));
    }
}

TEST_F(LoraFileTest, ReadsTheFixtures) {
    const auto folder = testing::fixturesFolder() / "sd15-tiny" / "lora";
    const struct {
        const char* file;
        std::size_t modules;
        std::int64_t rank;
        float factor;
    } files[] = {{"peft", 160, 8, 1},          {"kohya", 210, 4, 0.5f},
                 {"kohya_noalpha", 192, 4, 1}, {"diffusers_attn_processor", 128, 4, 1},
                 {"locon", 44, 4, 1},          {"loha", 160, 4, 0.5f},
                 {"lokr", 160, 2, 0.5f},       {"dora", 160, 4, 1}};
    for (const auto& expected : files) {
        SCOPED_TRACE(expected.file);
        const auto lora = LoraFile::open(folder / (std::string(expected.file) + ".safetensors"));
        ASSERT_TRUE(lora) << lora.error().message;
        EXPECT_EQ((*lora)->modules().size(), expected.modules);
        EXPECT_EQ((*lora)->modules()[0].rank, expected.rank);
        EXPECT_EQ((*lora)->modules()[0].factor, expected.factor);
        EXPECT_TRUE((*lora)->unreadTensors().empty());
    }
}

}  // namespace

}  // namespace reelbrush::weights
