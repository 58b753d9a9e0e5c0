#include "engine/styles/card_fields.h"

#include <fmt/format.h>

#include <cmath>

namespace reelbrush::styles {

namespace {

std::string shortened(const nlohmann::json& value) {
    constexpr std::size_t kMost = 60;
    if (value.is_structured()) return fmt::format("an {} of {}", value.type_name(), value.size());
    std::string text = value.dump(-1, ' ', true);  // ASCII, so that cutting it is safe
    if (text.size() > kMost) text = text.substr(0, kMost) + "...";
    return text;
}

}  // namespace

const nlohmann::json* CardFields::find(const char* field) {
    read_.insert(field);
    const auto found = object_.find(field);
    return found == object_.end() ? nullptr : &*found;
}

tl::unexpected<Error> CardFields::wrong(const std::string& field, const std::string& problem) const {
    return fail(StatusCode::BadInput,
                fmt::format("cannot read style card '{}': field '{}{}': {}", file_.string(), where_, field, problem));
}

tl::unexpected<Error> CardFields::wrong(const std::string& field, const std::string& expected,
                                        const nlohmann::json& actual) const {
    return wrong(field, fmt::format("expected {}, got {}", expected, shortened(actual)));
}

Status CardFields::read(const char* field, std::string& value) {
    const nlohmann::json* found = find(field);
    if (!found) return {};
    if (!found->is_string()) return wrong(field, "text", *found);
    value = found->get<std::string>();
    return {};
}

Status CardFields::read(const char* field, bool& value) {
    const nlohmann::json* found = find(field);
    if (!found) return {};
    if (!found->is_boolean()) return wrong(field, "true or false", *found);
    value = found->get<bool>();
    return {};
}

Status CardFields::read(const char* field, std::uint64_t& value) {
    const nlohmann::json* found = find(field);
    if (!found) return {};
    if (!found->is_number_unsigned()) return wrong(field, "a whole number from 0 to 18446744073709551615", *found);
    value = found->get<std::uint64_t>();
    return {};
}

Status CardFields::read(const char* field, std::vector<std::string>& values) {
    RB_ASSIGN(const nlohmann::json* found, array(field));
    if (!found) return {};
    values.clear();
    for (const nlohmann::json& entry : *found) {
        if (!entry.is_string()) return wrong(fmt::format("{}[{}]", field, values.size()), "text", entry);
        values.push_back(entry.get<std::string>());
    }
    return {};
}

Status CardFields::readWithin(const char* field, double least, double most, double& value) {
    const nlohmann::json* found = find(field);
    if (!found) return {};
    const std::string expected = fmt::format("a number from {} to {}", least, most);
    if (!found->is_number()) return wrong(field, expected, *found);
    const double number = found->get<double>();
    if (!(number >= least && number <= most)) return wrong(field, expected, *found);
    value = number;
    return {};
}

Status CardFields::readWithin(const char* field, int least, int most, int& value) {
    double number = value;
    RB_TRY(readWithin(field, static_cast<double>(least), static_cast<double>(most), number));
    if (number != std::floor(number))
        return wrong(field, fmt::format("a whole number from {} to {}", least, most), object_[field]);
    value = static_cast<int>(number);
    return {};
}

Result<const nlohmann::json*> CardFields::array(const char* field) {
    const nlohmann::json* found = find(field);
    if (found && !found->is_array()) return wrong(field, "a list in [ ]", *found);
    return found;
}

Result<const nlohmann::json*> CardFields::object(const char* field) {
    const nlohmann::json* found = find(field);
    if (found && !found->is_object()) return wrong(field, "an object in { }", *found);
    return found;
}

nlohmann::json CardFields::unread() const {
    nlohmann::json rest = nlohmann::json::object();
    for (const auto& [key, value] : object_.items())
        if (!read_.contains(key)) rest[key] = value;
    return rest;
}

}  // namespace reelbrush::styles
