#include "app/cli/argument_values.h"

#include "app/cli/suffix_values.h"
#include "engine/render/painting_size.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace reelbrush::cli {

namespace {

template <typename Number>
std::optional<Number> numberOf(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

template <typename... Values>
tl::unexpected<Error> wrong(fmt::format_string<Values...> format, Values&&... values) {
    return fail(StatusCode::BadInput, fmt::format(format, std::forward<Values>(values)...));
}

/// "12.5" as 125/10, exactly.
std::optional<Rational> decimalOf(const std::string& text) {
    const std::size_t point = text.find('.');
    if (point == std::string::npos) {
        const auto whole = numberOf<std::int32_t>(text);
        return whole ? std::optional(Rational(*whole)) : std::nullopt;
    }
    const std::string digits = text.substr(0, point) + text.substr(point + 1);
    const auto value = numberOf<std::int32_t>(digits);
    if (!value || text.size() - point - 1 > 6) return std::nullopt;
    std::int64_t scale = 1;
    for (std::size_t i = point + 1; i < text.size(); ++i) scale *= 10;
    return Rational(*value, scale);
}

}  // namespace

Result<session::PictureSize> parseSize(const std::string& text) {
    const std::size_t cross = text.find_first_of("xX");
    if (cross != std::string::npos) {
        const auto width = numberOf<int>(std::string_view(text).substr(0, cross));
        const auto height = numberOf<int>(std::string_view(text).substr(cross + 1));
        if (width && height) {
            RB_TRY(render::checkSize({*width, *height}));
            return session::PictureSize{*width, *height};
        }
    }
    return wrong("a size is written WIDTHxHEIGHT, such as 512x288, with sides from 1 to {}, and '{}' is not",
                 render::kMaxSide, text);
}

Result<FrameRange> parseRange(const std::string& text) {
    const auto refuse = [&] {
        return wrong("a range of frames is written FROM-TO, counted from 0, such as 10-20, 10- or 7, and '{}' is not",
                     text);
    };
    const std::size_t dash = text.find('-');
    const std::string_view from = std::string_view(text).substr(0, dash);
    const std::string_view to = dash == std::string::npos ? from : std::string_view(text).substr(dash + 1);
    FrameRange range;
    if (from.empty() && to.empty()) return refuse();
    if (!from.empty()) {
        const auto first = numberOf<std::int64_t>(from);
        if (!first) return refuse();
        range.first = *first;
    }
    if (!to.empty()) {
        const auto last = numberOf<std::int64_t>(to);
        if (!last || *last < 0) return refuse();
        range.last = *last;
        if (range.last < range.first)
            return wrong("the range of frames '{}' is reversed: its end lies before its beginning", text);
    }
    return range;
}

Result<std::size_t> parseBytes(const std::string& text) {
    constexpr std::array<std::pair<char, double>, 6> kUnits{
        {{'K', 0x1p10}, {'k', 0x1p10}, {'M', 0x1p20}, {'m', 0x1p20}, {'G', 0x1p30}, {'g', 0x1p30}}};
    std::string_view digits = text;
    for (const std::string_view tail : {"iB", "B"})
        if (digits.ends_with(tail)) {
            digits.remove_suffix(tail.size());
            break;
        }
    double unit = 1;
    for (const auto& [letter, factor] : kUnits)
        if (!digits.empty() && digits.back() == letter) {
            digits.remove_suffix(1);
            unit = factor;
            break;
        }
    const auto number = numberOf<double>(digits);
    if (!number || !std::isfinite(*number) || *number * unit < 1 || *number * unit > 0x1p60)
        return wrong("an amount of memory is written such as 800M, 2G or 1073741824, and '{}' is not", text);
    return static_cast<std::size_t>(*number * unit);
}

Result<styles::StyleLora> parseLora(const std::string& text) {
    const SuffixValues parts = splitSuffixValues(text, 1);
    if (parts.head.empty())
        return wrong("a LoRA is written NAME:STRENGTH or FILE:STRENGTH, such as ink.safetensors:0.8, and '{}' is not",
                     text);
    styles::StyleLora lora;
    std::error_code ignored;
    if (std::filesystem::exists(parts.head, ignored))
        lora.file = parts.head;
    else
        lora.name = parts.head;
    if (!parts.values.empty()) lora.strength = parts.values[0];
    return lora;
}

Result<Rational> parseRate(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kTelevision{
        {{"23.976", 24000}, {"23.98", 24000}, {"29.97", 30000}, {"59.94", 60000}, {"119.88", 120000}}};
    for (const auto& [written, numerator] : kTelevision)
        if (text == written) return Rational(numerator, 1001);
    std::optional<Rational> rate;
    if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
        const auto numerator = numberOf<std::int32_t>(std::string_view(text).substr(0, slash));
        const auto denominator = numberOf<std::int32_t>(std::string_view(text).substr(slash + 1));
        if (numerator && denominator && *denominator > 0) rate = Rational(*numerator, *denominator);
    } else {
        rate = decimalOf(text);
    }
    if (!rate || *rate <= Rational(0) || *rate > Rational(1000))
        return wrong("a frame rate is written such as 25, 12.5 or 30000/1001, above 0 and up to 1000, and '{}' is not",
                     text);
    return *rate;
}

Result<std::uint64_t> parseSeed(const std::string& text) {
    const auto seed = numberOf<std::uint64_t>(text);
    if (!seed) return wrong("a seed is a whole number from 0 to 18446744073709551615, and '{}' is not", text);
    return *seed;
}

}  // namespace reelbrush::cli
