#include "engine/diffusion/text/lora_tags.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

TEST(LoraTags, AreTakenOutAndListedInOrder) {
    const auto prompt = takeLoraTags("a cat <lora:ink drawing:0.7>, <lora:b> by night<lyco:c:-0.5>");
    EXPECT_EQ(prompt.text, "a cat ,  by night");
    ASSERT_EQ(prompt.loras.size(), 3u);
    EXPECT_EQ(prompt.loras[0].name, "ink drawing");
    EXPECT_DOUBLE_EQ(prompt.loras[0].strength, 0.7);
    EXPECT_DOUBLE_EQ(prompt.loras[0].textStrength, 0.7);
    EXPECT_EQ(prompt.loras[1].name, "b");
    EXPECT_DOUBLE_EQ(prompt.loras[1].strength, 1.0);
    EXPECT_DOUBLE_EQ(prompt.loras[2].strength, -0.5);
    EXPECT_TRUE(prompt.notes.empty());
}

TEST(LoraTags, TextEncoderAndUnetMayDiffer) {
    const auto prompt = takeLoraTags("<lora:a:0.5:0.8><lora:b:te=0.2:unet=0.9><lora:c:unet=0.3><lora:d:0.5:lbw=IN>");
    ASSERT_EQ(prompt.loras.size(), 4u);
    EXPECT_DOUBLE_EQ(prompt.loras[0].textStrength, 0.5);
    EXPECT_DOUBLE_EQ(prompt.loras[0].strength, 0.8);
    EXPECT_DOUBLE_EQ(prompt.loras[1].textStrength, 0.2);
    EXPECT_DOUBLE_EQ(prompt.loras[1].strength, 0.9);
    EXPECT_DOUBLE_EQ(prompt.loras[2].textStrength, 1.0);
    EXPECT_DOUBLE_EQ(prompt.loras[2].strength, 0.3);
    EXPECT_DOUBLE_EQ(prompt.loras[3].strength, 0.5);
}

TEST(LoraTags, OtherAngleBracketsStay) {
    for (const char* text : {"a < b > c", "<cat-toy>", "<lora>", "<lora:>", "<:x>", "<lora:unfinished", "<", "x <3"}) {
        const auto prompt = takeLoraTags(text);
        EXPECT_EQ(prompt.text, text);
        EXPECT_TRUE(prompt.loras.empty());
    }
}

TEST(LoraTags, WhatCannotBeUnderstoodIsLeftOutAndTold) {
    const auto prompt = takeLoraTags("<lora:a:strong><lora: :1><lora:b:inf><hypernet:x:1>rest\x1b<lora:\x1b[1m:x>");
    EXPECT_EQ(prompt.text, "rest\x1b");
    EXPECT_TRUE(prompt.loras.empty());
    ASSERT_EQ(prompt.notes.size(), 5u);
    EXPECT_NE(prompt.notes[0].find("'<lora:a:strong>'"), std::string::npos) << prompt.notes[0];
    EXPECT_NE(prompt.notes[3].find("hypernet"), std::string::npos) << prompt.notes[3];
    EXPECT_EQ(prompt.notes[4].find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace reelbrush::diffusion
