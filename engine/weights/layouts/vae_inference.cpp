#include "engine/weights/layouts/vae_inference.h"

#include "engine/weights/layouts/weight_shapes.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace reelbrush::weights {

namespace {

using nlohmann::json;

tl::unexpected<Error> contradicts(const std::string& what) {
    return fail(StatusCode::BadInput, fmt::format("the tensors of its VAE contradict each other: {}", what));
}

/// One side of a tiny autoencoder: residual blocks between plain convolutions, each convolution a change of size.
struct TinySide {
    std::vector<std::int64_t> channels;
    std::vector<int> blocks;
};

TinySide readTinySide(const WeightShapes& shapes, const std::string& side) {
    // Activations and upsamplers take a number too but have no weights, at most two in a row.
    constexpr int kLongestGap = 3;
    TinySide found;
    int gap = 0;
    for (int i = 0; gap < kLongestGap; ++i) {
        const std::string layer = fmt::format("{}.layers.{}.", side, i);
        gap = 0;
        if (shapes.has(layer + "weight")) {
            found.channels.push_back(shapes.dim(layer + "weight", 0));
            found.blocks.push_back(0);
        } else if (shapes.has(layer + "conv.0.weight") && !found.blocks.empty()) {
            ++found.blocks.back();
        } else {
            gap = 1;
            while (gap < kLongestGap && !shapes.has(fmt::format("{}.layers.{}.weight", side, i + gap)) &&
                   !shapes.has(fmt::format("{}.layers.{}.conv.0.weight", side, i + gap)))
                ++gap;
        }
    }
    // The last convolution leaves this side: no blocks follow it.
    if (!found.channels.empty()) {
        found.channels.pop_back();
        found.blocks.pop_back();
    }
    return found;
}

}  // namespace

Result<json> inferVaeConfig(const ListedWeights& vae, double scalingFactor) {
    const WeightShapes shapes(vae);
    const int levels = shapes.count("encoder.down_blocks.", ".resnets.0.norm1.weight");
    const int upLevels = shapes.count("decoder.up_blocks.", ".resnets.0.norm1.weight");
    if (levels == 0 || levels != upLevels)
        return contradicts(fmt::format("its encoder has {} levels and its decoder {}", levels, upLevels));
    std::vector<std::int64_t> channels;
    const int layers = shapes.count("encoder.down_blocks.0.resnets.", ".norm1.weight");
    for (int i = 0; i < levels; ++i) {
        const std::string down = fmt::format("encoder.down_blocks.{}.resnets.", i);
        const std::string up = fmt::format("decoder.up_blocks.{}.resnets.", levels - 1 - i);
        channels.push_back(shapes.dim(down + "0.norm2.weight", 0));
        if (shapes.dim(up + "0.norm2.weight", 0) != channels.back())
            return contradicts(fmt::format("'{}0' and '{}0' differ in width", down, up));
        if (shapes.count(down, ".norm1.weight") != layers || shapes.count(up, ".norm1.weight") != layers + 1)
            return contradicts(fmt::format("'{}' or '{}' lacks layers", down, up));
    }
    const std::int64_t latents = shapes.dim("decoder.conv_in.weight", 1);
    if (latents == 0 || shapes.dim("encoder.conv_out.weight", 0) != 2 * latents)
        return contradicts(
            fmt::format("its encoder makes {} values where a decoder of {} channels needs mean and "
                        "variance of each",
                        shapes.dim("encoder.conv_out.weight", 0), latents));
    const auto each = static_cast<std::size_t>(levels);
    return json{
        {"_class_name", "AutoencoderKL"},
        {"act_fn", "silu"},
        {"block_out_channels", channels},
        {"down_block_types", std::vector<std::string>(each, "DownEncoderBlock2D")},
        {"up_block_types", std::vector<std::string>(each, "UpDecoderBlock2D")},
        {"force_upcast", true},
        {"in_channels", shapes.dim("encoder.conv_in.weight", 1)},
        {"out_channels", shapes.dim("decoder.conv_out.weight", 0)},
        {"latent_channels", latents},
        {"layers_per_block", layers},
        {"mid_block_add_attention", shapes.has("decoder.mid_block.attentions.0.to_q.weight")},
        {"norm_num_groups", 32},
        {"scaling_factor", scalingFactor},
        {"shift_factor", nullptr},
        {"use_quant_conv", shapes.has("quant_conv.weight")},
        {"use_post_quant_conv", shapes.has("post_quant_conv.weight")},
    };
}

Result<json> inferTinyVaeConfig(const ListedWeights& vae) {
    const WeightShapes shapes(vae);
    const TinySide encoder = readTinySide(shapes, "encoder");
    const TinySide decoder = readTinySide(shapes, "decoder");
    if (encoder.channels.empty() || encoder.channels.size() != decoder.channels.size())
        return contradicts(fmt::format("the tiny encoder has {} levels and the decoder {}", encoder.channels.size(),
                                       decoder.channels.size()));
    return json{
        {"_class_name", "AutoencoderTiny"},
        {"act_fn", "relu"},
        {"block_out_channels", encoder.channels},
        {"encoder_block_out_channels", encoder.channels},
        {"decoder_block_out_channels", decoder.channels},
        {"num_encoder_blocks", encoder.blocks},
        {"num_decoder_blocks", decoder.blocks},
        {"in_channels", shapes.dim("encoder.layers.0.weight", 1)},
        {"out_channels", shapes.dim("encoder.layers.0.weight", 1)},
        {"latent_channels", shapes.dim("decoder.layers.0.weight", 1)},
        {"latent_magnitude", 3},
        {"latent_shift", 0.5},
        {"scaling_factor", 1.0},
        {"shift_factor", 0.0},
        {"force_upcast", false},
        {"upsample_fn", "nearest"},
        {"upsampling_scaling_factor", 2},
    };
}

}  // namespace reelbrush::weights
