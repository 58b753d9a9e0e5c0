#pragma once

#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace reelbrush::styles {

/// Reads the fields of one JSON object into variables, which keep their value where the field is missing.
/// Every error is BadInput and names the file, the field, what was expected and what is there.
class CardFields {
  public:
    /// object must be a JSON object and outlive this. where: the object within the file, "" or "loras[0].".
    CardFields(const nlohmann::json& object, const std::filesystem::path& file, std::string where = "")
        : object_(object), file_(file), where_(std::move(where)) {}

    bool has(const char* field) const { return object_.contains(field); }

    Status read(const char* field, std::string& value);
    Status read(const char* field, bool& value);
    Status read(const char* field, std::uint64_t& value);
    Status read(const char* field, std::vector<std::string>& values);
    Status readWithin(const char* field, double least, double most, double& value);
    Status readWithin(const char* field, int least, int most, int& value);
    /// The array or object of that field; null where missing.
    Result<const nlohmann::json*> array(const char* field);
    Result<const nlohmann::json*> object(const char* field);

    /// What nothing above has asked for.
    nlohmann::json unread() const;
    /// "cannot read style card FILE: field 'FIELD': expected EXPECTED, got VALUE"
    tl::unexpected<Error> wrong(const std::string& field, const std::string& expected,
                                const nlohmann::json& actual) const;
    tl::unexpected<Error> wrong(const std::string& field, const std::string& problem) const;

  private:
    const nlohmann::json* find(const char* field);

    const nlohmann::json& object_;
    const std::filesystem::path& file_;
    std::string where_;
    std::set<std::string, std::less<>> read_;
};

}  // namespace reelbrush::styles
