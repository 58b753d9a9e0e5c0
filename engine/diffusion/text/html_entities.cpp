#include "engine/diffusion/text/html_entities.h"

#include "engine/diffusion/text/unicode_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace reelbrush::diffusion {

namespace {

constexpr std::size_t kLongestName = 33;  // with its ";"

/// Windows-1252 for 0x80 to 0x9f; places that it leaves free stand for themselves.
constexpr std::array<char16_t, 32> kWindows1252{0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                                0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                                0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

/// The character that a number in a reference stands for; nothing for those that HTML forbids.
void appendNumbered(unsigned long number, std::string& result) {
    if (number == 0) return appendUtf8(0xFFFD, result);
    if (number == 0x0D) return appendUtf8(0x0D, result);
    if (number >= 0x80 && number <= 0x9F) return appendUtf8(kWindows1252[number - 0x80], result);
    const bool control = number < 0x20 && number != '\t' && number != '\n' && number != '\f';
    const bool nonCharacter = (number >= 0xFDD0 && number <= 0xFDEF) || (number & 0xFFFE) == 0xFFFE;
    if (number <= 0x10FFFF && (control || number == 0x7F || nonCharacter)) return;
    appendUtf8(static_cast<char32_t>(std::min(number, 0x110000ul)), result);
}

/// Reads "#233;" or "#xE9". Returns the length that was read, 0 where it is none.
std::size_t appendNumeric(std::string_view text, std::string& result) {
    const bool hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    const char* first = text.data() + (hex ? 2 : 1);
    const char* end = text.data() + text.size();
    unsigned long number = 0;
    if (first > end) return 0;
    const auto read = std::from_chars(first, end, number, hex ? 16 : 10);
    if (read.ptr == first) return 0;
    if (read.ec == std::errc::result_out_of_range) number = 0x110000;
    appendNumbered(number, result);
    const auto length = static_cast<std::size_t>(read.ptr - text.data());
    return length < text.size() && text[length] == ';' ? length + 1 : length;
}

}  // namespace

Result<HtmlEntities> HtmlEntities::fromTable(std::string_view table) {
    HtmlEntities entities;
    for (int number = 1; !table.empty(); ++number) {
        const std::size_t end = std::min(table.find('\n'), table.size());
        const std::string_view line = table.substr(0, end);
        table.remove_prefix(std::min(end + 1, table.size()));
        const std::size_t blank = line.find(' ');
        std::string characters;
        for (std::size_t at = blank; at < line.size();) {
            unsigned codePoint = 0;
            const auto read = std::from_chars(line.data() + at + 1, line.data() + line.size(), codePoint, 16);
            const auto next = static_cast<std::size_t>(read.ptr - line.data());
            if (read.ec != std::errc() || (next < line.size() && line[next] != ' '))
                return fail(StatusCode::BadInput, fmt::format("line {} of the HTML names is damaged", number));
            appendUtf8(codePoint, characters);
            at = next;
        }
        if (characters.empty() || blank == 0)
            return fail(StatusCode::BadInput, fmt::format("line {} of the HTML names is damaged", number));
        entities.characters_.emplace(line.substr(0, blank), std::move(characters));
    }
    return entities;
}

std::string HtmlEntities::unescape(std::string_view text) const {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t plain = std::min(text.find('&'), text.size());
        result += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        text.remove_prefix(1);
        const std::size_t length = appendReference(text, result);
        if (length == 0) result += '&';
        text.remove_prefix(length);
    }
    return result;
}

/// text: what stands behind the "&". Returns the length that was read, 0 where it is no reference.
std::size_t HtmlEntities::appendReference(std::string_view text, std::string& result) const {
    return text.starts_with('#') ? appendNumeric(text, result) : appendNamed(text, result);
}

std::size_t HtmlEntities::appendNamed(std::string_view text, std::string& result) const {
    // A name ends with its ";", or before anything that no name has.
    std::size_t end = std::min(text.find_first_of("\t\n\f <&#;"), text.size());
    if (end < text.size() && text[end] == ';') ++end;
    for (std::size_t length = std::min(end, kLongestName); length >= 2; --length) {
        const auto found = characters_.find(text.substr(0, length));
        if (found == characters_.end()) continue;
        result += found->second;
        return length;
    }
    return 0;
}

}  // namespace reelbrush::diffusion
