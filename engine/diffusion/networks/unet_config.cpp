#include "engine/diffusion/networks/unet_config.h"

#include "engine/diffusion/networks/config_fields.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

namespace {

/// Whether a block type carries cross-attention; Unsupported for types that are not built.
Result<bool> hasAttention(const std::string& type, const char* plain, const char* attending) {
    if (type == plain) return false;
    if (type == attending) return true;
    return fail(StatusCode::Unsupported, fmt::format("UNet blocks of type '{}' are not supported", type));
}

/// What SDXL adds to the time embedding.
Status readAddition(const ConfigFields& fields, UnetConfig& config) {
    constexpr int kTimeIds = 6;
    RB_ASSIGN(const std::string type, fields.text("addition_embed_type", ""));
    if (type.empty()) return {};
    if (type != "text_time")
        return fail(StatusCode::Unsupported, fmt::format("UNet addition embedding '{}' is not supported", type));
    RB_ASSIGN(config.additionTimeChannels, fields.positive("addition_time_embed_dim"));
    RB_ASSIGN(const int width, fields.positive("projection_class_embeddings_input_dim"));
    config.pooledChannels = width - kTimeIds * config.additionTimeChannels;
    if (config.pooledChannels > 0 && config.additionTimeChannels % 2 == 0) return {};
    return fail(StatusCode::BadInput,
                "UNet configuration: 'projection_class_embeddings_input_dim' must be the width "
                "of the pooled text plus six times 'addition_time_embed_dim'");
}

}  // namespace

Result<UnetConfig> UnetConfig::fromJson(const nlohmann::json& json) {
    const ConfigFields fields(json, "UNet configuration");
    UnetConfig config;
    RB_ASSIGN(config.inChannels, fields.positive("in_channels"));
    RB_ASSIGN(config.outChannels, fields.positive("out_channels"));
    RB_ASSIGN(config.normGroups, fields.positive("norm_num_groups", 32));
    RB_ASSIGN(config.normEpsilon, fields.number("norm_eps", 1e-5f));
    RB_ASSIGN(config.contextChannels, fields.positive("cross_attention_dim"));
    RB_ASSIGN(config.frequencyShift, fields.number("freq_shift", 0.0f));
    RB_ASSIGN(config.linearProjection, fields.flag("use_linear_projection", false));
    RB_ASSIGN(config.cosineFirst, fields.flag("flip_sin_to_cos", true));
    RB_ASSIGN(const std::string classType, fields.text("class_embed_type", ""));
    if (!classType.empty() && classType != "timestep")
        return fail(StatusCode::Unsupported, fmt::format("UNet class embedding '{}' is not supported", classType));
    config.timestepClass = classType == "timestep";
    RB_TRY(readAddition(fields, config));
    for (const char* field : {"time_cond_proj_dim", "encoder_hid_dim", "conv_in_kernel_size"})
        if (json.contains(field) && !json[field].is_null())
            return fail(StatusCode::Unsupported, fmt::format("UNets with '{}' are not supported", field));

    RB_ASSIGN(const std::vector<int> channels, fields.positives("block_out_channels", 0));
    if (channels.empty() || channels.size() > 8)
        return fail(StatusCode::BadInput, "UNet configuration: 'block_out_channels' must list 1 to 8 levels");
    // What diffusers calls attention_head_dim is the number of heads unless num_attention_heads is given.
    const char* headsField = json.contains("num_attention_heads") && !json["num_attention_heads"].is_null()
                                 ? "num_attention_heads"
                                 : "attention_head_dim";
    RB_ASSIGN(const std::vector<int> heads, fields.positives(headsField, channels.size()));
    RB_ASSIGN(const std::vector<int> layers, fields.positives("layers_per_block", channels.size()));
    RB_ASSIGN(const std::vector<int> depths, fields.positives("transformer_layers_per_block", channels.size(), 1));
    RB_ASSIGN(const std::vector<std::string> down, fields.texts("down_block_types", channels.size()));
    RB_ASSIGN(const std::vector<std::string> up, fields.texts("up_block_types", channels.size()));
    config.layersPerBlock = layers[0];
    for (std::size_t i = 0; i < channels.size(); ++i) {
        if (layers[i] != layers[0])
            return fail(StatusCode::Unsupported, "UNets with different layers_per_block are not supported");
        if (channels[i] % heads[i] != 0 || channels[i] % config.normGroups != 0)
            return fail(StatusCode::BadInput,
                        fmt::format("UNet configuration: {} channels divide neither into {} heads nor {} groups",
                                    channels[i], heads[i], config.normGroups));
        UnetLevel level;
        level.channels = channels[i];
        level.heads = heads[i];
        level.transformerLayers = depths[i];
        RB_ASSIGN(level.downHasAttention, hasAttention(down[i], "DownBlock2D", "CrossAttnDownBlock2D"));
        RB_ASSIGN(level.upHasAttention, hasAttention(up[channels.size() - 1 - i], "UpBlock2D", "CrossAttnUpBlock2D"));
        config.levels.push_back(level);
    }
    return config;
}

}  // namespace reelbrush::diffusion
