#pragma once

#include "engine/core/status.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// Reads fields of a model's configuration with checks; every error is BadInput and names the configuration and field.
/// A missing or null field takes the default where one is given and is an error otherwise.
class ConfigFields {
  public:
    /// json must outlive this; it need not be an object.
    ConfigFields(const nlohmann::json& json, std::string what) : json_(json), what_(std::move(what)) {}

    /// An integer in 1..1,000,000.
    Result<int> positive(const char* name, std::optional<int> otherwise = std::nullopt) const;
    Result<float> number(const char* name, std::optional<float> otherwise = std::nullopt) const;
    Result<bool> flag(const char* name, bool otherwise) const;
    Result<std::string> text(const char* name, std::optional<std::string> otherwise = std::nullopt) const;
    /// A list of `count` positive integers (any count where 0); a single integer stands for all of them.
    Result<std::vector<int>> positives(const char* name, std::size_t count,
                                       std::optional<int> otherwise = std::nullopt) const;
    Result<std::vector<std::string>> texts(const char* name, std::size_t count) const;

  private:
    const nlohmann::json* field(const char* name) const;
    tl::unexpected<Error> wrong(const char* name, const std::string& expected) const;

    const nlohmann::json& json_;
    std::string what_;
};

}  // namespace reelbrush::diffusion
