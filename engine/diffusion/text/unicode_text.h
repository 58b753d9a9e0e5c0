#pragma once

#include <string>
#include <string_view>

namespace reelbrush::diffusion {

/// Code points of a UTF-8 text; every byte that is not part of a valid sequence becomes U+FFFD.
std::u32string codePointsOf(std::string_view utf8);

/// Appends a code point as UTF-8; surrogates and what lies beyond U+10FFFF as U+FFFD.
void appendUtf8(char32_t codePoint, std::string& text);

/// Unicode's full lower-casing without a language: as Python's str.lower(), final sigma and dotted I included.
std::u32string lowerCase(std::u32string_view text);

/// The property White_Space.
bool isSpace(char32_t codePoint);
/// General category L*, N*.
bool isLetter(char32_t codePoint);
bool isNumber(char32_t codePoint);

}  // namespace reelbrush::diffusion
