#include "engine/diffusion/text/html_entities.h"

#include "engine/diffusion/text/packed_text.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

std::string unescaped(std::string_view text) {
    static const auto kEntities =
        HtmlEntities::fromTable(
            readPackedText(REELBRUSH_SOURCE_DIR "/resources/tokenizer/html_entities.txt.zst").value())
            .value();
    return kEntities.unescape(text);
}

TEST(HtmlEntities, NamesWithAndWithoutTheirSemicolon) {
    EXPECT_EQ(unescaped("caf&eacute; &lt;b&gt; &amp"), "café <b> &");
    EXPECT_EQ(unescaped("&amp;lt;"), "&lt;");
    EXPECT_EQ(unescaped("&notit; &notin; &bne;"), "¬it; ∉ =\u20E5");
    EXPECT_EQ(unescaped("&unheard; & &; &"), "&unheard; & &; &");
}

TEST(HtmlEntities, NumbersInBothBases) {
    EXPECT_EQ(unescaped("&#233;&#xE9;&#Xe9&#233"), "éééé");
    EXPECT_EQ(unescaped("&#150;&#x80;"), "–€");
    EXPECT_EQ(unescaped("&#0;&#xD800;&#x110000;&#99999999999999999999999;"), "\uFFFD\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(unescaped("a&#1;b&#xFFFE;c"), "abc");
    EXPECT_EQ(unescaped("&#; &#x; &#xg; &#"), "&#; &#x; &#xg; &#");
}

TEST(HtmlEntities, DamagedTablesAreRefused) {
    for (const char* table : {"amp;", "amp; ", "amp; 26 ", " 26", "amp; 2g", "lt 3c\n\n"})
        EXPECT_FALSE(HtmlEntities::fromTable(table)) << table;
    EXPECT_TRUE(HtmlEntities::fromTable("amp; 26\nbne; 3d 20e5"));
}

}  // namespace
}  // namespace reelbrush::diffusion
