#include "engine/diffusion/text/unicode_text.h"

#include <utf8proc.h>

#include <array>

namespace reelbrush::diffusion {

namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kCapitalSigma = 0x3A3, kFinalSigma = 0x3C2;
constexpr char32_t kDottedI = 0x130, kDotAbove = 0x307;

utf8proc_category_t categoryOf(char32_t codePoint) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(codePoint));
}

/// Letters that have a case; close to Unicode's property Cased.
bool isCased(char32_t codePoint) {
    const auto category = categoryOf(codePoint);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LT;
}

/// What may stand between letters of one word: marks, format characters, apostrophes.
bool isCaseIgnorable(char32_t codePoint) {
    switch (categoryOf(codePoint)) {
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_ME:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_SK:
            return true;
        default:
            break;
    }
    constexpr std::u32string_view kPunctuation = U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027";
    return kPunctuation.find(codePoint) != std::u32string_view::npos;
}

/// A sigma is final behind a cased letter and not before one.
bool isFinal(std::u32string_view text, std::size_t at) {
    std::size_t before = at, after = at + 1;
    while (before > 0 && isCaseIgnorable(text[before - 1])) --before;
    while (after < text.size() && isCaseIgnorable(text[after])) ++after;
    return before > 0 && isCased(text[before - 1]) && !(after < text.size() && isCased(text[after]));
}

}  // namespace

std::u32string codePointsOf(std::string_view utf8) {
    std::u32string result;
    result.reserve(utf8.size());
    const auto* next = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
    for (auto left = static_cast<utf8proc_ssize_t>(utf8.size()); left > 0;) {
        utf8proc_int32_t codePoint = 0;
        utf8proc_ssize_t length = utf8proc_iterate(next, left, &codePoint);
        const bool valid = length > 0;
        result.push_back(valid ? static_cast<char32_t>(codePoint) : kReplacement);
        if (!valid) length = 1;
        next += length;
        left -= length;
    }
    return result;
}

void appendUtf8(char32_t codePoint, std::string& text) {
    if (codePoint > 0x10FFFF || (codePoint >= 0xD800 && codePoint <= 0xDFFF)) codePoint = kReplacement;
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(codePoint), bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

std::u32string lowerCase(std::u32string_view text) {
    std::u32string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == kDottedI)
            result += {U'i', kDotAbove};
        else if (text[i] == kCapitalSigma && isFinal(text, i))
            result += kFinalSigma;
        else
            result += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(text[i])));
    }
    return result;
}

bool isSpace(char32_t codePoint) {
    if (codePoint < 0x80) return codePoint == ' ' || (codePoint >= '\t' && codePoint <= '\r');
    const auto category = categoryOf(codePoint);
    return codePoint == 0x85 || category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP;
}

bool isLetter(char32_t codePoint) {
    const auto category = categoryOf(codePoint);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isNumber(char32_t codePoint) {
    const auto category = categoryOf(codePoint);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

}  // namespace reelbrush::diffusion
