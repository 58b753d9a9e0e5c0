#include "engine/diffusion/networks/config_fields.h"

#include <fmt/format.h>

#include <cmath>

namespace reelbrush::diffusion {

namespace {

constexpr int kLargest = 1'000'000;

bool isPositive(const nlohmann::json& value) {
    if (!value.is_number_integer()) return false;
    const auto number = value.get<std::int64_t>();
    return number >= 1 && number <= kLargest;
}

}  // namespace

const nlohmann::json* ConfigFields::field(const char* name) const {
    const auto found = json_.is_object() ? json_.find(name) : json_.end();
    return found == json_.end() || found->is_null() ? nullptr : &*found;
}

tl::unexpected<Error> ConfigFields::wrong(const char* name, const std::string& expected) const {
    const nlohmann::json* value = field(name);
    const std::string actual =
        value ? value->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) : "nothing";
    return fail(StatusCode::BadInput,
                fmt::format("{}: '{}' must be {}, got {}", what_, name, expected, actual.substr(0, 80)));
}

Result<int> ConfigFields::positive(const char* name, std::optional<int> otherwise) const {
    const nlohmann::json* value = field(name);
    if (!value && otherwise) return *otherwise;
    if (!value || !isPositive(*value)) return wrong(name, "a positive integer");
    return value->get<int>();
}

Result<float> ConfigFields::number(const char* name, std::optional<float> otherwise) const {
    const nlohmann::json* value = field(name);
    if (!value && otherwise) return *otherwise;
    if (!value || !value->is_number() || !std::isfinite(value->get<float>())) return wrong(name, "a number");
    return value->get<float>();
}

Result<bool> ConfigFields::flag(const char* name, bool otherwise) const {
    const nlohmann::json* value = field(name);
    if (!value) return otherwise;
    if (!value->is_boolean()) return wrong(name, "true or false");
    return value->get<bool>();
}

Result<std::string> ConfigFields::text(const char* name, std::optional<std::string> otherwise) const {
    const nlohmann::json* value = field(name);
    if (!value && otherwise) return *otherwise;
    if (!value || !value->is_string()) return wrong(name, "a text");
    return value->get<std::string>();
}

Result<std::vector<int>> ConfigFields::positives(const char* name, std::size_t count,
                                                 std::optional<int> otherwise) const {
    const nlohmann::json* value = field(name);
    if (!value && otherwise) return std::vector<int>(count, *otherwise);
    if (value && isPositive(*value)) return std::vector<int>(std::max<std::size_t>(count, 1), value->get<int>());
    const std::string expected =
        count == 0 ? "a list of positive integers" : fmt::format("{} positive integers", count);
    if (!value || !value->is_array() || (count != 0 && value->size() != count)) return wrong(name, expected);
    std::vector<int> list;
    for (const auto& entry : *value) {
        if (!isPositive(entry)) return wrong(name, expected);
        list.push_back(entry.get<int>());
    }
    return list;
}

Result<std::vector<std::string>> ConfigFields::texts(const char* name, std::size_t count) const {
    const nlohmann::json* value = field(name);
    if (!value || !value->is_array() || value->size() != count)
        return wrong(name, fmt::format("a list of {} texts", count));
    std::vector<std::string> list;
    for (const auto& entry : *value) {
        if (!entry.is_string()) return wrong(name, fmt::format("a list of {} texts", count));
        list.push_back(entry.get<std::string>());
    }
    return list;
}

}  // namespace reelbrush::diffusion
