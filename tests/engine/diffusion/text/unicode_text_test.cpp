#include "engine/diffusion/text/unicode_text.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

TEST(UnicodeText, LowersAsPythonDoes) {
    EXPECT_EQ(lowerCase(U"ÀÉ ŒÆ ЖЩ ẞ Ⅷ"), U"àé œæ жщ ß ⅷ");
    EXPECT_EQ(lowerCase(U"İ"), U"i\u0307");
    EXPECT_EQ(lowerCase(U"ΟΔΟΣ ΣΑΣ Σ Σ1"), U"οδος σας σ σ1");
    EXPECT_EQ(lowerCase(U"ΑΣ\u0301Β ΑΣ\u0301"), U"ασ\u0301β ας\u0301");
}

TEST(UnicodeText, ClassesBeyondAscii) {
    for (const char32_t space : U"\t\v \u0085\u00A0\u1680\u2003\u2028\u202F\u3000")
        EXPECT_TRUE(space == 0 || isSpace(space)) << static_cast<unsigned>(space);
    for (const char32_t other : U"\u001C\u200B\u2060\uFEFF") EXPECT_FALSE(isSpace(other));
    for (const char32_t letter : U"aÉªж猫ع한") EXPECT_TRUE(letter == 0 || isLetter(letter));
    for (const char32_t number : U"1²½٣₃Ⅷ") EXPECT_TRUE(number == 0 || isNumber(number));
    EXPECT_FALSE(isLetter(U'\u0301'));
    EXPECT_FALSE(isLetter(0x110000));
}

TEST(UnicodeText, Utf8BothWays) {
    std::string text;
    for (const char32_t codePoint : codePointsOf("aé猫🎨")) appendUtf8(codePoint, text);
    EXPECT_EQ(text, "aé猫🎨");
    text.clear();
    appendUtf8(0xD800, text);
    appendUtf8(0x110000, text);
    EXPECT_EQ(text, "\uFFFD\uFFFD");
    EXPECT_EQ(codePointsOf("\xC3"), U"\uFFFD");
    EXPECT_EQ(codePointsOf("\xC0\xAF!"), U"\uFFFD\uFFFD!");
}

}  // namespace
}  // namespace reelbrush::diffusion
