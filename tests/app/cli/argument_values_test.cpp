#include "app/cli/argument_values.h"

#include "app/cli/conditioning_options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace reelbrush::cli {
namespace {

TEST(ArgumentValues, Sizes) {
    ASSERT_TRUE(parseSize("512x288"));
    EXPECT_EQ(*parseSize("512x288"), (session::PictureSize{512, 288}));
    EXPECT_EQ(*parseSize("1X16384"), (session::PictureSize{1, 16384}));
    for (const char* text : {"", "x", "512", "512x", "x288", "0x10", "10x0", "-5x10", "10x-5", "16385x10", "1e3x10",
                             "10x10x10", " 10x10", "99999999999x1", "10*10"}) {
        const auto size = parseSize(text);
        ASSERT_FALSE(size) << text;
        EXPECT_EQ(size.error().code, StatusCode::BadInput);
    }
}

TEST(ArgumentValues, Ranges) {
    const auto range = [](const char* text) {
        const auto parsed = parseRange(text);
        return parsed ? std::pair(parsed->first, parsed->last) : std::pair<std::int64_t, std::int64_t>(-9, -9);
    };
    EXPECT_EQ(range("10-20"), (std::pair<std::int64_t, std::int64_t>(10, 20)));
    EXPECT_EQ(range("10-"), (std::pair<std::int64_t, std::int64_t>(10, -1)));
    EXPECT_EQ(range("-20"), (std::pair<std::int64_t, std::int64_t>(0, 20)));
    EXPECT_EQ(range("7"), (std::pair<std::int64_t, std::int64_t>(7, 7)));
    EXPECT_EQ(range("0-0"), (std::pair<std::int64_t, std::int64_t>(0, 0)));
    for (const char* text : {"", "-", "a-b", "20-10", "1-2-3", "1--2", "1.5-2", "5 - 9"})
        EXPECT_FALSE(parseRange(text)) << text;
}

TEST(ArgumentValues, AmountsOfMemory) {
    EXPECT_EQ(*parseBytes("1048576"), 1048576u);
    EXPECT_EQ(*parseBytes("1K"), 1024u);
    EXPECT_EQ(*parseBytes("800M"), std::size_t{800} << 20);
    EXPECT_EQ(*parseBytes("1.5G"), std::size_t{3} << 29);
    EXPECT_EQ(*parseBytes("2GiB"), std::size_t{2} << 30);
    EXPECT_EQ(*parseBytes("2gB"), std::size_t{2} << 30);
    for (const char* text : {"", "0", "-1G", "M", "1T", "1 G", "nan", "inf", "1e30G", "one"})
        EXPECT_FALSE(parseBytes(text)) << text;
}

TEST(ArgumentValues, Rates) {
    EXPECT_EQ(*parseRate("25"), Rational(25));
    EXPECT_EQ(*parseRate("30000/1001"), Rational(30000, 1001));
    EXPECT_EQ(*parseRate("12.5"), Rational(25, 2));
    EXPECT_EQ(*parseRate("29.97"), Rational(30000, 1001));
    for (const char* text : {"", "0", "-25", "25/0", "1/0", "a", "1.2.3", "99999"})
        EXPECT_FALSE(parseRate(text)) << text;
}

TEST(ArgumentValues, Seeds) {
    EXPECT_EQ(*parseSeed("0"), 0u);
    EXPECT_EQ(*parseSeed("18446744073709551615"), 18446744073709551615u);
    for (const char* text : {"", "-1", "1.5", "18446744073709551616", "x"}) EXPECT_FALSE(parseSeed(text)) << text;
}

class LoraValues : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("reelbrush-lora-values-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        for (const char* name : {"a.safetensors", "b:2", "c:d.safetensors"}) std::ofstream(folder_ / name) << "x";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string at(const std::string& name) const { return (folder_ / name).string(); }

    std::filesystem::path folder_;
};

TEST_F(LoraValues, StrengthIsWhatFollowsTheLastColon) {
    EXPECT_EQ(parseLora(at("a.safetensors"))->strength, 1.0);
    EXPECT_EQ(parseLora(at("a.safetensors:0.25"))->strength, 0.25);
    EXPECT_EQ(parseLora(at("a.safetensors:-1"))->strength, -1.0);
    EXPECT_EQ(parseLora(at("a.safetensors:0.25"))->file, at("a.safetensors"));
    const auto colons = parseLora(at("c:d.safetensors:0.5"));
    ASSERT_TRUE(colons) << colons.error().message;
    EXPECT_EQ(colons->file, at("c:d.safetensors"));
    EXPECT_EQ(colons->strength, 0.5);
    EXPECT_EQ(parseLora(at("c:d.safetensors"))->strength, 1.0);
}

TEST_F(LoraValues, AFileThatLooksLikeAStrengthIsAFile) {
    EXPECT_EQ(parseLora(at("b:2"))->file, at("b:2"));
    EXPECT_EQ(parseLora(at("b:2:3"))->file, at("b:2"));
}

TEST_F(LoraValues, WhatIsNoFileIsANameInTheLibrary) {
    const auto lora = parseLora("oil paint:0.5");
    ASSERT_TRUE(lora);
    EXPECT_TRUE(lora->file.empty());
    EXPECT_EQ(lora->name, "oil paint");
    EXPECT_EQ(lora->strength, 0.5);
    EXPECT_FALSE(parseLora(":0.5"));
    EXPECT_EQ(parseLora("a:nan")->name, "a:nan");
}

TEST(ControlValues, KindModelStrengthAndRange) {
    const auto full = parseControl("canny=control:v11:0.8:0-0.6");
    ASSERT_TRUE(full) << full.error().message;
    EXPECT_EQ(*full, (styles::StyleControl{"control:v11", "canny", 0.8, 0.0, 0.6}));
    EXPECT_EQ(*parseControl("tile"), (styles::StyleControl{"tile", "auto", 1.0, 0.0, 1.0}));
    EXPECT_EQ(*parseControl("a:0.25-1"), (styles::StyleControl{"a", "auto", 1.0, 0.25, 1.0}));
    EXPECT_EQ(*parseControl("a:2"), (styles::StyleControl{"a", "auto", 2.0, 0.0, 1.0}));
    for (const char* text : {"", "canny=", "=a", "a:11", "a:-1", "a:0.7-0.2", "a:0-2"})
        EXPECT_FALSE(parseControl(text)) << text;
}

TEST(ConditioningValues, GoIntoTheCard) {
    ConditioningArguments arguments;
    arguments.model = "dreamshaper";
    arguments.prompt = "oil";
    arguments.controls = {"canny=a", "tile=b"};
    arguments.ipAdapter = "plus:0.6";
    arguments.imageEncoder = "vit-h";
    arguments.motion = "mm:24:6";
    arguments.noise = "cuda";
    styles::StyleCard card;
    ASSERT_TRUE(applyConditioning(arguments, card));
    EXPECT_EQ(card.baseModel, "dreamshaper");
    EXPECT_EQ(card.prompt, "oil");
    EXPECT_EQ(card.conditioning.controls.size(), 2u);
    EXPECT_EQ(card.conditioning.ipAdapter, (styles::StyleIpAdapter{"plus", "vit-h", 0.6, false}));
    EXPECT_EQ(card.conditioning.motion, (styles::StyleMotion{"mm", 24, 6}));
    EXPECT_TRUE(card.conditioning.cudaNoise);
    ASSERT_TRUE(applyConditioning({}, card));
    EXPECT_EQ(card.conditioning.controls.size(), 2u) << "what is not typed stays";

    arguments.motion = "mm:8:8";
    EXPECT_FALSE(applyConditioning(arguments, card));
    ConditioningArguments lonely;
    lonely.imageEncoder = "vit-h";
    styles::StyleCard plain;
    EXPECT_FALSE(applyConditioning(lonely, plain));
}

}  // namespace
}  // namespace reelbrush::cli
