#include "engine/weights/lora_ldm_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace reelbrush::weights {

namespace {

constexpr int kMaxIndex = 999;

bool dropPrefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// Takes "12." off the front.
std::optional<int> takeIndex(std::string_view& text) {
    int index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || index < 0 || index > kMaxIndex) return std::nullopt;
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (digits >= text.size() || text[digits] != '.') return std::nullopt;
    text.remove_prefix(digits + 1);
    return index;
}

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kLoose = {
    Pair{"conv_in", "input_blocks.0.0"},
    Pair{"time_embedding.linear_1", "time_embed.0"},
    Pair{"time_embedding.linear_2", "time_embed.2"},
    Pair{"add_embedding.linear_1", "label_emb.0.0"},
    Pair{"add_embedding.linear_2", "label_emb.0.2"},
    Pair{"conv_norm_out", "out.0"},
    Pair{"conv_out", "out.2"},
};

constexpr std::array kResnet = {
    Pair{"norm1", "in_layers.0"},  Pair{"conv1", "in_layers.2"},  Pair{"time_emb_proj", "emb_layers.1"},
    Pair{"norm2", "out_layers.0"}, Pair{"conv2", "out_layers.3"}, Pair{"conv_shortcut", "skip_connection"},
};

template <std::size_t N>
std::string_view lookUp(const std::array<Pair, N>& table, std::string_view name) {
    const auto found = std::ranges::find(table, name, &Pair::first);
    return found == table.end() ? std::string_view() : found->second;
}

/// prefix + the LDM name of a part of a residual block.
std::string inResnet(const std::string& prefix, std::string_view part) {
    const std::string_view name = lookUp(kResnet, part);
    return name.empty() ? std::string() : prefix + std::string(name);
}

}  // namespace

LoraLdmNames::LoraLdmNames(std::span<const std::string> names) {
    for (const std::string& name : names) {
        std::string_view rest = name;
        const bool isDown = dropPrefix(rest, "down_blocks.");
        if (!isDown && !dropPrefix(rest, "up_blocks.")) continue;
        const auto index = takeIndex(rest);
        if (!index) continue;
        Block& block = (isDown ? down_ : up_)[*index];
        if (dropPrefix(rest, "resnets.")) {
            if (const auto layer = takeIndex(rest)) block.layers = std::max(block.layers, *layer + 1);
        }
        block.hasAttention |= rest.starts_with("attentions.");
        block.hasResampling |= rest.starts_with("downsamplers.") || rest.starts_with("upsamplers.");
    }
    int next = 1;  // input block 0 is conv_in
    for (auto& [index, block] : down_) {
        block.first = next;
        next += block.layers + (block.hasResampling ? 1 : 0);
    }
    next = 0;
    for (auto& [index, block] : up_) {
        block.first = next;
        next += block.layers;
    }
}

std::string LoraLdmNames::spell(std::string_view module) const {
    if (const auto loose = lookUp(kLoose, module); !loose.empty()) return std::string(loose);
    if (dropPrefix(module, "down_blocks.")) return spellInBlock(module, down_, true);
    if (dropPrefix(module, "up_blocks.")) return spellInBlock(module, up_, false);
    if (!dropPrefix(module, "mid_block.")) return {};
    const bool isResnet = dropPrefix(module, "resnets.");
    if (!isResnet && !dropPrefix(module, "attentions.")) return {};
    const auto layer = takeIndex(module);
    if (!layer) return {};
    // Residual blocks and attentions take turns.
    const std::string prefix = fmt::format("middle_block.{}.", 2 * *layer + (isResnet ? 0 : 1));
    return isResnet ? inResnet(prefix, module) : prefix + std::string(module);
}

std::string LoraLdmNames::spellInBlock(std::string_view rest, const Blocks& blocks, bool down) const {
    const auto index = takeIndex(rest);
    const auto found = index ? blocks.find(*index) : blocks.end();
    if (found == blocks.end()) return {};
    const Block& block = found->second;
    const std::string_view side = down ? "input_blocks" : "output_blocks";
    if (down && rest == "downsamplers.0.conv") return fmt::format("{}.{}.0.op", side, block.first + block.layers);
    if (!down && rest == "upsamplers.0.conv")
        return fmt::format("{}.{}.{}.conv", side, block.first + block.layers - 1, block.hasAttention ? 2 : 1);
    const bool isResnet = dropPrefix(rest, "resnets.");
    if (!isResnet && !dropPrefix(rest, "attentions.")) return {};
    const auto layer = takeIndex(rest);
    if (!layer || *layer >= block.layers) return {};
    const std::string prefix = fmt::format("{}.{}.{}.", side, block.first + *layer, isResnet ? 0 : 1);
    return isResnet ? inResnet(prefix, rest) : prefix + std::string(rest);
}

}  // namespace reelbrush::weights
