#include "engine/weights/lora_alpha.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>

namespace reelbrush::weights {

namespace {

/// PEFT's patterns are regular expressions that match the end of a module's name. Nearly all are plain names; those are
/// read as such. Nothing for a true expression, which would need an engine that hostile input cannot blow up.
std::optional<std::string> plainName(std::string_view pattern) {
    std::string name;
    if (pattern.starts_with('^')) pattern.remove_prefix(1);
    if (pattern.ends_with('$')) pattern.remove_suffix(1);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\' && i + 1 < pattern.size() && pattern[i + 1] == '.') continue;
        if (std::string_view("\\*+?()[]{}|^$").find(pattern[i]) != std::string_view::npos) return std::nullopt;
        name += pattern[i];
    }
    return name;
}

bool endsWithModule(std::string_view module, std::string_view ending) {
    if (!module.ends_with(ending)) return false;
    return module.size() == ending.size() || module[module.size() - ending.size() - 1] == '.';
}

}  // namespace

Result<LoraAlphas> LoraAlphas::fromMetadata(const Metadata& metadata, std::string_view displayName) {
    LoraAlphas alphas;
    alphas.displayName_ = displayName;
    if (const auto found = metadata.find("lora_adapter_metadata"); found != metadata.end()) {
        alphas.adapter_ = nlohmann::json::parse(found->second, nullptr, /*allow_exceptions=*/false);
        if (!alphas.adapter_.is_object())
            return fail(StatusCode::BadInput,
                        fmt::format("{}: its lora_adapter_metadata is not a JSON object", displayName));
    }
    if (const auto found = metadata.find("alpha"); found != metadata.end()) {
        const std::string& text = found->second;
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
            return fail(StatusCode::BadInput,
                        fmt::format("{}: the alpha {} in its metadata is not a number", displayName, quotedName(text)));
        alphas.fileAlpha_ = value;
    }
    return alphas;
}

const nlohmann::json* LoraAlphas::entry(std::string_view component, std::string_view key) const {
    auto found = adapter_.end();
    if (!component.empty()) found = adapter_.find(fmt::format("{}.{}", component, key));
    if (found == adapter_.end()) found = adapter_.find(std::string(key));
    return found == adapter_.end() || found->is_null() ? nullptr : &*found;
}

Result<std::optional<double>> LoraAlphas::alphaOf(std::string_view component, std::string_view module) const {
    const auto number = [&](const nlohmann::json& value) -> Result<std::optional<double>> {
        if (!value.is_number())
            return fail(StatusCode::BadInput,
                        fmt::format("{}: an alpha in its lora_adapter_metadata is not a number", displayName_));
        return std::optional(value.get<double>());
    };
    if (const auto* patterns = entry(component, "alpha_pattern"); patterns && patterns->is_object()) {
        for (const auto& [pattern, value] : patterns->items()) {
            const auto name = plainName(pattern);
            if (!name)
                return fail(StatusCode::Unsupported,
                            fmt::format("{}: the alpha_pattern {} in its lora_adapter_metadata "
                                        "is a regular expression, which is not supported",
                                        displayName_, quotedName(pattern)));
            if (endsWithModule(module, *name)) return number(value);
        }
    }
    if (const auto* alpha = entry(component, "lora_alpha")) return number(*alpha);
    return fileAlpha_;
}

double LoraAlphas::factor(std::string_view component, std::optional<double> alpha, std::int64_t rank) const {
    if (!alpha || *alpha == 0) return 1;
    const auto* stabilised = entry(component, "use_rslora");
    const auto divisor = static_cast<double>(rank);
    return *alpha / (stabilised && *stabilised == true ? std::sqrt(divisor) : divisor);
}

}  // namespace reelbrush::weights
