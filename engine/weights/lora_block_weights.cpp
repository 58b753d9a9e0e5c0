#include "engine/weights/lora_block_weights.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace reelbrush::weights {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string_view> splitAtCommas(std::string_view text) {
    std::vector<std::string_view> fields;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        fields.push_back(trimmed(text.substr(at, comma - at)));
        at = comma + 1;
    }
    return fields;
}

std::optional<float> numberIn(std::string_view text) {
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

struct Range {
    const char* side;
    int first, last;
};

/// The blocks of a list, in its order; MID is called M00. Empty where no list is this long.
std::vector<std::string> blocksOfList(std::size_t length) {
    std::vector<Range> ranges;
    switch (length) {
        case 12:
            ranges = {{"IN", 4, 5}, {"IN", 7, 8}, {"M", 0, 0}, {"OUT", 0, 5}};
            break;
        case 17:
            ranges = {{"IN", 1, 2}, {"IN", 4, 5}, {"IN", 7, 8}, {"M", 0, 0}, {"OUT", 3, 11}};
            break;
        case 20:
            ranges = {{"IN", 0, 8}, {"M", 0, 0}, {"OUT", 0, 8}};
            break;
        case 26:
            ranges = {{"IN", 0, 11}, {"M", 0, 0}, {"OUT", 0, 11}};
            break;
        default:
            return {};
    }
    std::vector<std::string> blocks = {"BASE"};
    for (const Range& range : ranges)
        for (int i = range.first; i <= range.last; ++i) blocks.push_back(fmt::format("{}{:02}", range.side, i));
    return blocks;
}

tl::unexpected<Error> badWeight(std::string_view field) {
    return fail(StatusCode::BadInput,
                fmt::format("the block weight {} is not a finite number; write numbers such as 0.5, or BLOCK=NUMBER",
                            quotedName(field)));
}

}  // namespace

Result<LoraBlockWeights> LoraBlockWeights::parse(std::string_view text) {
    LoraBlockWeights result;
    if (trimmed(text).empty()) return result;
    const auto fields = splitAtCommas(text);
    if (text.find('=') == text.npos) {
        const auto blocks = blocksOfList(fields.size());
        if (blocks.empty())
            return fail(StatusCode::BadInput,
                        fmt::format("{} block weights were given; a list has 17 (SD 1.5), 12 or 20 (SDXL) or 26 "
                                    "numbers, or names its blocks: OUT04=0.5,mid_block=0",
                                    fields.size()));
        for (const char* side : {"IN", "OUT"})
            for (int i = 0; i <= 11; ++i) result.weights_[fmt::format("{}{:02}", side, i)] = 0;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto weight = numberIn(fields[i]);
            if (!weight) return badWeight(fields[i]);
            result.weights_[blocks[i]] = *weight;
        }
        return result;
    }
    for (const std::string_view field : fields) {
        const std::size_t equals = std::min(field.find('='), field.size());
        const auto name = trimmed(field.substr(0, equals));
        const auto weight = numberIn(trimmed(field.substr(std::min(equals + 1, field.size()))));
        if (!weight || name.empty()) return badWeight(field);
        if (name == "*")
            result.others_ = *weight;
        else
            result.weights_[name == "MID" ? "M00" : std::string(name)] = *weight;
    }
    return result;
}

float LoraBlockWeights::of(const LoraPlace& place) const {
    // Names from the most to the least special: the whole module, then without its last parts.
    std::string_view name = place.module;
    while (!name.empty()) {
        if (const auto found = weights_.find(name); found != weights_.end()) return found->second;
        const std::size_t dot = name.rfind('.');
        name = dot == name.npos ? std::string_view() : name.substr(0, dot);
    }
    const auto found = weights_.find(place.block);
    return found == weights_.end() || place.block.empty() ? others_ : found->second;
}

}  // namespace reelbrush::weights
