#include "engine/diffusion/networks/unet_config.h"

#include <gtest/gtest.h>

#include <fstream>

namespace reelbrush::diffusion {
namespace {

nlohmann::json starterJson() {
    std::ifstream file(REELBRUSH_SOURCE_DIR "/resources/models/starter/unet/config.json");
    return nlohmann::json::parse(file);
}

TEST(UnetConfig, ReadsTheStarter) {
    const auto config = UnetConfig::fromJson(starterJson());
    ASSERT_TRUE(config) << config.error().message;
    ASSERT_EQ(config->levels.size(), 3u);
    EXPECT_EQ(config->inChannels, 32);
    EXPECT_EQ(config->levels[2].heads, 8);
    EXPECT_FALSE(config->levels[0].downHasAttention);
    EXPECT_FALSE(config->levels[0].upHasAttention);
    EXPECT_TRUE(config->levels[1].upHasAttention);
    EXPECT_TRUE(config->timestepClass);
}

TEST(UnetConfig, HostileConfigurationsAreRefusedByName) {
    for (const auto& [field, value] : std::vector<std::pair<const char*, nlohmann::json>>{
             {"in_channels", -1},
             {"block_out_channels", nlohmann::json::array()},
             {"block_out_channels", {96, 160}},
             {"down_block_types", {"DownBlock2D", "Other", "DownBlock2D"}},
             {"attention_head_dim", {7, 5, 8}},
             {"layers_per_block", {1, 2, 1}},
             {"class_embed_type", "projection"}}) {
        nlohmann::json json = starterJson();
        json[field] = value;
        EXPECT_FALSE(UnetConfig::fromJson(json)) << field;
    }
    EXPECT_FALSE(UnetConfig::fromJson(nlohmann::json("text")));
}

}  // namespace
}  // namespace reelbrush::diffusion
