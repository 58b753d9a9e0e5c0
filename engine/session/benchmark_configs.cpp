#include "engine/session/benchmark_configs.h"

namespace reelbrush::session {

using diffusion::TextEncoderConfig, diffusion::UnetConfig, diffusion::UnetLevel;

UnetConfig sd15UnetConfig() {
    UnetConfig config;
    for (const int channels : {320, 640, 1280, 1280}) {
        UnetLevel level;
        level.channels = channels;
        config.levels.push_back(level);
    }
    config.levels.back().downHasAttention = config.levels.back().upHasAttention = false;
    return config;
}

UnetConfig sdxlUnetConfig() {
    constexpr int kHeadSize = 64;
    UnetConfig config;
    config.contextChannels = 2048;
    config.linearProjection = true;
    config.pooledChannels = 1280;
    config.additionTimeChannels = 256;
    for (const auto& [channels, layers] : {std::pair{320, 1}, {640, 2}, {1280, 10}}) {
        UnetLevel level;
        level.channels = channels;
        level.heads = channels / kHeadSize;
        level.transformerLayers = layers;
        config.levels.push_back(level);
    }
    config.levels.front().downHasAttention = config.levels.front().upHasAttention = false;
    return config;
}

std::vector<TextEncoderConfig> sd15TextConfigs() {
    return {TextEncoderConfig{}};
}

std::vector<TextEncoderConfig> sdxlTextConfigs() {
    TextEncoderConfig large;
    large.hiddenSize = 1280;
    large.intermediateSize = 5120;
    large.layers = 32;
    large.heads = 20;
    large.projection = 1280;
    large.activation = kernels::Activation::Gelu;
    return {TextEncoderConfig{}, large};
}

nlohmann::json vaeConfig(bool isXl) {
    return {
        {"_class_name", "AutoencoderKL"},
        {"in_channels", 3},
        {"out_channels", 3},
        {"latent_channels", 4},
        {"block_out_channels", {128, 256, 512, 512}},
        {"layers_per_block", 2},
        {"down_block_types", {"DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D"}},
        {"up_block_types", {"UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D"}},
        {"act_fn", "silu"},
        {"norm_num_groups", 32},
        {"scaling_factor", isXl ? 0.13025 : 0.18215}};
}

}  // namespace reelbrush::session
