#include "engine/diffusion/networks/text_encoder.h"

#include <gtest/gtest.h>

#include <array>

namespace reelbrush::diffusion {
namespace {

nlohmann::json bigConfig() {
    return {{"hidden_size", 1280},       {"intermediate_size", 5120}, {"num_hidden_layers", 32},
            {"num_attention_heads", 20}, {"hidden_act", "gelu"},      {"projection_dim", 1280}};
}

TEST(TextEncoder, ReadsConfigurationsWithWhatTheyLeaveOut) {
    const auto config = TextEncoderConfig::fromJson(bigConfig());
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->layers, 32);
    EXPECT_EQ(config->activation, kernels::Activation::Gelu);
    EXPECT_EQ(config->positions, 77);
    EXPECT_EQ(config->eosToken, TextEncoderConfig::kLegacyEosToken);
}

TEST(TextEncoder, HostileConfigurationsAreRefused) {
    for (const auto& [field, value] :
         std::vector<std::pair<const char*, nlohmann::json>>{{"hidden_size", 0},
                                                             {"num_attention_heads", 3},
                                                             {"num_hidden_layers", 100000},
                                                             {"max_position_embeddings", 1000000},
                                                             {"vocab_size", "many"},
                                                             {"hidden_act", "relu6"}}) {
        nlohmann::json json = bigConfig();
        json[field] = value;
        EXPECT_FALSE(TextEncoderConfig::fromJson(json)) << field;
    }
    EXPECT_FALSE(TextEncoderConfig::fromJson(nlohmann::json()));
}

TEST(TextEncoder, ThePooledStateIsThatOfTheFirstEnd) {
    const std::array tokens{49406, 320, 49407, 0, 49407};
    EXPECT_EQ(pooledPosition(tokens, 49407), 2u);
    EXPECT_EQ(pooledPosition(tokens, TextEncoderConfig::kLegacyEosToken), 2u);
    EXPECT_EQ(pooledPosition(tokens, 5), 0u);
}

TEST(TextEncoder, LayersMaySpreadOverGraphs) {
    TextEncoderConfig config;
    kernels::Graph whole;
    const auto tokens = whole.input("tokens", {2, config.positions, config.hiddenSize});
    const auto hidden = addTextLayers(whole, config, addTextPositions(whole, config, tokens), {0, config.layers});
    const auto projected = addTextProjection(whole, config, addFinalTextNorm(whole, config, hidden));
    ASSERT_TRUE(whole.status()) << whole.status().error().message;
    EXPECT_EQ(whole.shapeOf(projected), (kernels::Shape{2, 77, 768}));

    kernels::Graph part;
    addTextLayers(part, config, part.input("hidden", {2, config.positions, config.hiddenSize}), {5, 2});
    ASSERT_TRUE(part.status());
    for (const auto& node : part.nodes()) {
        const bool inRange = node.name.starts_with("text_model.encoder.layers.5.") ||
                             node.name.starts_with("text_model.encoder.layers.6.");
        EXPECT_TRUE(inRange) << node.name;
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
