#include "engine/weights/lora_block_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::weights {

namespace {

using ::testing::HasSubstr;

LoraBlockWeights parsed(std::string_view text) {
    const auto weights = LoraBlockWeights::parse(text);
    if (!weights) throw std::runtime_error(weights.error().message);
    return *weights;
}

LoraPlace unet(const char* module, const char* block) {
    return {"unet", module, block};
}

const LoraPlace kText{"text_encoder", "text_model.encoder.layers.0.mlp.fc1", "BASE"};
const LoraPlace kTime = unet("time_embedding.linear_1", "");

TEST(LoraBlockWeights, AreOneUnlessTold) {
    EXPECT_EQ(LoraBlockWeights().of(kText), 1);
    EXPECT_EQ(parsed("  ").of(unet("mid_block.resnets.0.conv1", "M00")), 1);
}

TEST(LoraBlockWeights, ReadsTheListOfSd15) {
    const auto weights = parsed("0.1, 1,2,4,5,7,8, 0.5, 13,14,15,16,17,18,19,20,21");
    EXPECT_EQ(weights.of(kText), 0.1f);
    EXPECT_EQ(weights.of(unet("m", "IN01")), 1);
    EXPECT_EQ(weights.of(unet("m", "IN04")), 4);
    EXPECT_EQ(weights.of(unet("m", "IN08")), 8);
    EXPECT_EQ(weights.of(unet("m", "M00")), 0.5f);
    EXPECT_EQ(weights.of(unet("m", "OUT03")), 13);
    EXPECT_EQ(weights.of(unet("m", "OUT11")), 21);
    EXPECT_EQ(weights.of(unet("m", "IN00")), 0) << "left out by this list";
    EXPECT_EQ(weights.of(unet("m", "OUT02")), 0);
    EXPECT_EQ(weights.of(kTime), 1) << "in no block";
}

TEST(LoraBlockWeights, ReadsTheListsOfSdxlAndTheFullOne) {
    const auto twelve = parsed("1,4,5,7,8,9,10,11,12,13,14,15");
    EXPECT_EQ(twelve.of(unet("m", "IN04")), 4);
    EXPECT_EQ(twelve.of(unet("m", "M00")), 9);
    EXPECT_EQ(twelve.of(unet("m", "OUT05")), 15);
    EXPECT_EQ(twelve.of(unet("m", "IN01")), 0);
    const auto twenty = parsed("1,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18");
    EXPECT_EQ(twenty.of(unet("m", "IN08")), 8);
    EXPECT_EQ(twenty.of(unet("m", "OUT08")), 18);
    const auto full = parsed("1,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24");
    EXPECT_EQ(full.of(unet("m", "IN00")), 0);
    EXPECT_EQ(full.of(unet("m", "IN11")), 11);
    EXPECT_EQ(full.of(unet("m", "M00")), 12);
    EXPECT_EQ(full.of(unet("m", "OUT11")), 24);
}

TEST(LoraBlockWeights, ReadsNamesOfBlocksAndModules) {
    const auto weights = parsed("OUT04=0.5, MID=0, up_blocks.1.attentions=2, up_blocks.1.attentions.0 = 3, *=0.25");
    EXPECT_EQ(weights.of(unet("x", "OUT04")), 0.5f);
    EXPECT_EQ(weights.of(unet("mid_block.resnets.0.conv1", "M00")), 0);
    EXPECT_EQ(weights.of(unet("up_blocks.1.attentions.0.proj_in", "OUT03")), 3) << "the longest name counts";
    EXPECT_EQ(weights.of(unet("up_blocks.1.attentions.1.proj_in", "OUT04")), 2) << "a module counts before its block";
    EXPECT_EQ(weights.of(unet("up_blocks.1.attentions_x", "")), 0.25f) << "whole parts of a name only";
    EXPECT_EQ(weights.of(kText), 0.25f);
    EXPECT_EQ(parsed("mid_block=0").of(kTime), 1);
}

TEST(LoraBlockWeights, SaysWhatIsExpected) {
    const auto message = [](const char* text) { return LoraBlockWeights::parse(text).error().message; };
    EXPECT_THAT(message("1,2,3"), HasSubstr("3 block weights were given; a list has 17"));
    EXPECT_THAT(message("1,1,1,1,1,1,1,1,1,1,1,x"), HasSubstr("'x' is not a finite number"));
    EXPECT_THAT(message("1,1,1,1,1,1,1,1,1,1,1,nan"), HasSubstr("'nan'"));
    EXPECT_THAT(message("1,1,1,1,1,1,1,1,1,1,1,"), HasSubstr("''"));
    EXPECT_THAT(message("OUT04=much"), HasSubstr("'OUT04=much'"));
    EXPECT_THAT(message("OUT04=1,0.5"), HasSubstr("'0.5'"));
    EXPECT_THAT(message("=1"), HasSubstr("'=1'"));
    EXPECT_THAT(message("mid_block=1e99"), HasSubstr("not a finite number"));
}

}  // namespace

}  // namespace reelbrush::weights
