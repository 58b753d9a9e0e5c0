#include "engine/weights/lora_details.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace reelbrush::weights {

namespace {

constexpr std::size_t kLongestText = 200;
constexpr std::size_t kMostWords = 50;
constexpr std::size_t kMostTags = 12;

std::string cleaned(std::string_view text) {
    std::string clean;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        clean += byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
    clean.erase(0, std::min(clean.find_first_not_of(' '), clean.size()));
    if (clean.size() > kLongestText) {
        std::size_t end = kLongestText;
        while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xc0) == 0x80) --end;  // not within a character
        clean.resize(end);
    }
    clean.erase(clean.find_last_not_of(' ') + 1);
    return clean;
}

std::string textOf(const Metadata& metadata, std::string_view key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : cleaned(found->second);
}

std::vector<std::string> wordsOf(std::string_view phrase) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < phrase.size() && words.size() < kMostWords;) {
        const std::size_t comma = std::min(phrase.find(',', at), phrase.size());
        std::string word = cleaned(phrase.substr(at, comma - at));
        if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
        at = comma + 1;
    }
    return words;
}

/// kohya's trainer writes {"folder": {"tag": count, ...}, ...}.
std::vector<std::string> frequentTags(std::string_view text) {
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return {};
    std::map<std::string, double> counts;
    for (const auto& folder : json) {
        if (!folder.is_object()) continue;
        for (const auto& [tag, count] : folder.items()) {
            std::string name = cleaned(tag);
            if (!name.empty() && count.is_number()) counts[std::move(name)] += count.get<double>();
        }
    }
    std::vector<std::pair<std::string, double>> tags(counts.begin(), counts.end());
    std::ranges::stable_sort(tags, std::ranges::greater(), &std::pair<std::string, double>::second);
    tags.resize(std::min(tags.size(), kMostTags));
    std::vector<std::string> names;
    for (auto& [name, count] : tags) names.push_back(std::move(name));
    return names;
}

std::optional<double> numberOf(const Metadata& metadata, std::string_view key) {
    const std::string text = textOf(metadata, key);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

}  // namespace

LoraDetails loraDetails(const Metadata& metadata) {
    LoraDetails details;
    details.title = textOf(metadata, "modelspec.title");
    if (details.title.empty()) details.title = textOf(metadata, "ss_output_name");
    details.baseModel = baseModelFromMetadata(metadata);
    if (const auto found = metadata.find("modelspec.trigger_phrase"); found != metadata.end())
        details.triggerWords = wordsOf(found->second);
    if (const auto found = metadata.find("ss_tag_frequency"); found != metadata.end())
        details.commonTags = frequentTags(found->second);
    details.rank = numberOf(metadata, "ss_network_dim");
    details.alpha = numberOf(metadata, "ss_network_alpha");
    return details;
}

}  // namespace reelbrush::weights
