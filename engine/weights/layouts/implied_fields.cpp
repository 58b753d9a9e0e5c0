#include "engine/weights/layouts/implied_fields.h"

#include <cstddef>

namespace reelbrush::weights {

namespace {

using nlohmann::json;

/// Larger numbers are no network.
constexpr int kLargest = 100'000;
/// Names are made for each module, so a hostile file must not ask for many.
constexpr int kMostModules = 40;

bool isCount(const json& value) {
    return value.is_number_unsigned()
               ? value.get<std::uint64_t>() <= kLargest
               : value.is_number_integer() && value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() <= kLargest;
}

/// One number for all levels, or a list.
std::optional<std::vector<int>> eachLevel(const json& config, const char* field, std::size_t levels) {
    if (const auto one = wholeNumber(config, field)) return std::vector<int>(levels, *one);
    auto list = listedNumbers(config, field);
    return list && list->size() == levels ? list : std::nullopt;
}

std::optional<std::vector<bool>> attends(const json& config, const char* field, std::size_t levels) {
    const auto types = config.find(field);
    if (types == config.end() || !types->is_array() || types->size() != levels) return std::nullopt;
    std::vector<bool> found;
    for (const json& type : *types) {
        if (!type.is_string()) return std::nullopt;
        found.push_back(type.get_ref<const std::string&>().starts_with("CrossAttn"));
    }
    return found;
}

bool isText(const json& config, const char* field, const char* text) {
    const auto found = config.find(field);
    return found != config.end() && *found == text;
}

}  // namespace

std::optional<int> wholeNumber(const json& config, const char* field) {
    const auto found = config.find(field);
    if (found == config.end() || !isCount(*found)) return std::nullopt;
    const int number = found->get<int>();
    return number <= kMostModules ? std::optional(number) : std::nullopt;
}

std::optional<std::vector<int>> listedNumbers(const json& config, const char* field) {
    const auto found = config.find(field);
    if (found == config.end() || !found->is_array() || found->size() > kMostModules) return std::nullopt;
    std::vector<int> numbers;
    for (const json& value : *found) {
        if (!isCount(value)) return std::nullopt;
        numbers.push_back(value.get<int>());
    }
    return numbers;
}

bool flagOr(const json& config, const char* field, bool otherwise) {
    const auto found = config.find(field);
    return found != config.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::optional<UnetFields> UnetFields::read(const json& config, bool hasUpBlocks) {
    UnetFields fields;
    const auto channels = listedNumbers(config, "block_out_channels");
    if (!channels || channels->empty()) return std::nullopt;
    fields.channels = *channels;
    const std::size_t levels = channels->size();
    const auto layers = eachLevel(config, "layers_per_block", levels);
    const auto depths = config.contains("transformer_layers_per_block")
                            ? eachLevel(config, "transformer_layers_per_block", levels)
                            : std::vector<int>(levels, 1);
    const auto down = attends(config, "down_block_types", levels);
    const auto up = hasUpBlocks ? attends(config, "up_block_types", levels) : std::vector<bool>();
    if (!layers || !depths || !down || !up) return std::nullopt;
    for (const int count : *layers)
        if (count != layers->front()) return std::nullopt;
    fields.layers = layers->front();
    fields.depths = *depths;
    for (const int depth : *depths)
        if (depth > kMostModules) return std::nullopt;
    fields.downAttends = *down;
    fields.upAttends = *up;
    fields.hasSizes = isText(config, "addition_embed_type", "text_time");
    fields.hasTimestepClass = isText(config, "class_embed_type", "timestep");
    return fields;
}

}  // namespace reelbrush::weights
