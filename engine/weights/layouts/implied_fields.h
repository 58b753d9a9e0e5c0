#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::weights {

/// Fields of a configuration from a file of unknown origin; nothing where they are missing or of another type.
std::optional<int> wholeNumber(const nlohmann::json& config, const char* field);
std::optional<std::vector<int>> listedNumbers(const nlohmann::json& config, const char* field);
bool flagOr(const nlohmann::json& config, const char* field, bool otherwise);

/// What the names of a UNet's or ControlNet's weights depend on.
struct UnetFields {
    int layers = 2;
    std::vector<int> channels;  ///< of each level, never empty
    std::vector<int> depths;    ///< transformer blocks, of each level
    std::vector<bool> downAttends, upAttends;
    bool hasSizes = false;          ///< add_embedding, as in SDXL
    bool hasTimestepClass = false;  ///< class_embedding, as in the starter model

    static std::optional<UnetFields> read(const nlohmann::json& config, bool hasUpBlocks);
};

}  // namespace reelbrush::weights
