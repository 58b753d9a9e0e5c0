#include "engine/diffusion/text/lora_tags.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace reelbrush::diffusion {

namespace {

/// Length of the tag that text begins with ("<", letters, ":", anything but ">", ">"); 0 where it is none.
std::size_t tagLength(std::string_view text) {
    std::size_t at = 1;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) ++at;
    if (at == 1 || at >= text.size() || text[at] != ':') return 0;
    const std::size_t end = text.find('>', at);
    return end == std::string_view::npos || end == at + 1 ? 0 : end + 1;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<double> finiteNumber(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

/// parts: name, then strengths. Nothing where one is no number or the name is empty.
std::optional<LoraTag> loraFrom(const std::vector<std::string_view>& parts) {
    LoraTag tag;
    tag.name = std::string(trimmed(parts.front()));
    if (tag.name.empty()) return std::nullopt;
    std::vector<double> inOrder;
    std::optional<double> namedText, namedUnet;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].find('=');
        const bool isNamed = equals != std::string_view::npos;
        const std::string_view key = isNamed ? trimmed(parts[i].substr(0, equals)) : std::string_view();
        if (isNamed && key != "te" && key != "unet") continue;  // "dyn", "lbw": dimensions and blocks
        const auto value = finiteNumber(isNamed ? parts[i].substr(equals + 1) : parts[i]);
        if (!value) return std::nullopt;
        if (isNamed)
            (key == "te" ? namedText : namedUnet) = value;
        else
            inOrder.push_back(*value);
    }
    if (!inOrder.empty()) tag.textStrength = inOrder[0];
    tag.textStrength = namedText.value_or(tag.textStrength);
    tag.strength = inOrder.size() > 1 ? inOrder[1] : tag.textStrength;
    tag.strength = namedUnet.value_or(tag.strength);
    return tag;
}

}  // namespace

TaggedPrompt takeLoraTags(std::string_view prompt) {
    TaggedPrompt result;
    while (!prompt.empty()) {
        const std::size_t plain = std::min(prompt.find('<'), prompt.size());
        result.text += prompt.substr(0, plain);
        prompt.remove_prefix(plain);
        if (prompt.empty()) break;
        const std::size_t length = tagLength(prompt);
        if (length == 0) {
            result.text += prompt.front();
            prompt.remove_prefix(1);
            continue;
        }
        const std::string_view inside = prompt.substr(1, length - 2), kind = inside.substr(0, inside.find(':'));
        const std::string shown = weights::quotedName(prompt.substr(0, length));
        if (kind != "lora" && kind != "lyco")
            result.notes.push_back(
                fmt::format("{} was left out of the prompt: only <lora:name:strength> is known", shown));
        else if (auto tag = loraFrom(split(inside.substr(kind.size() + 1), ':')))
            result.loras.push_back(std::move(*tag));
        else
            result.notes.push_back(
                fmt::format("{} was left out of the prompt: write <lora:name:strength>, the strength a number", shown));
        prompt.remove_prefix(length);
    }
    return result;
}

}  // namespace reelbrush::diffusion
