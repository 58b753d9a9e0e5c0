#include "app/cli/suffix_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace reelbrush::cli {

namespace {

std::optional<double> numberOf(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
    return value;
}

bool isFile(const std::string& text) {
    std::error_code ignored;
    return std::filesystem::exists(text, ignored);
}

}  // namespace

SuffixValues splitSuffixValues(const std::string& text, std::size_t most) {
    SuffixValues parts{text, {}};
    while (parts.values.size() < most && !isFile(parts.head)) {
        const std::size_t colon = parts.head.rfind(':');
        if (colon == std::string::npos) break;
        const auto value = numberOf(std::string_view(parts.head).substr(colon + 1));
        if (!value) break;
        parts.values.insert(parts.values.begin(), *value);
        parts.head.resize(colon);
    }
    return parts;
}

std::optional<SuffixRange> splitSuffixRange(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || isFile(text)) return {};
    const std::string_view range = std::string_view(text).substr(colon + 1);
    const std::size_t dash = range.find('-', 1);
    if (dash == std::string_view::npos) return {};
    const auto from = numberOf(range.substr(0, dash)), to = numberOf(range.substr(dash + 1));
    if (!from || !to) return {};
    return SuffixRange{text.substr(0, colon), *from, *to};
}

}  // namespace reelbrush::cli
