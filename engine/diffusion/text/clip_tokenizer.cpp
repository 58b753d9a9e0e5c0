#include "engine/diffusion/text/clip_tokenizer.h"

#include "engine/diffusion/text/packed_text.h"
#include "engine/diffusion/text/unicode_text.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace reelbrush::diffusion {

namespace {

constexpr std::u32string_view kStartText = U"<|startoftext|>", kEndText = U"<|endoftext|>";
constexpr std::array<std::u32string_view, 7> kContractions{U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"};

/// Every run of whitespace becomes one blank, none at the ends.
std::u32string collapseSpaces(std::u32string_view text) {
    std::u32string result;
    for (const char32_t codePoint : text) {
        if (!isSpace(codePoint))
            result += codePoint;
        else if (!result.empty() && result.back() != U' ')
            result += U' ';
    }
    if (!result.empty() && result.back() == U' ') result.pop_back();
    return result;
}

std::size_t countWhile(std::u32string_view text, bool (*holds)(char32_t)) {
    std::size_t count = 0;
    while (count < text.size() && holds(text[count])) ++count;
    return count;
}

bool isSign(char32_t codePoint) {
    return !isSpace(codePoint) && !isLetter(codePoint) && !isNumber(codePoint);
}

/// Length of the word at the beginning of a text that is not empty and does not begin with whitespace: a contraction,
/// a run of letters, one digit, or a run of anything else.
std::size_t wordLength(std::u32string_view text) {
    for (const auto contraction : kContractions)
        if (text.starts_with(contraction)) return contraction.size();
    if (isLetter(text.front())) return countWhile(text, isLetter);
    if (isNumber(text.front())) return 1;
    return countWhile(text, isSign);
}

std::string toUtf8(std::u32string_view text) {
    std::string result;
    for (const char32_t codePoint : text) appendUtf8(codePoint, result);
    return result;
}

}  // namespace

Result<std::shared_ptr<const ClipTokenizer>> ClipTokenizer::open(const std::filesystem::path& folder) {
    RB_ASSIGN(const std::string merges, readPackedText(folder / "clip_bpe_merges.txt.zst"));
    RB_ASSIGN(const std::string names, readPackedText(folder / "html_entities.txt.zst"));
    RB_ASSIGN(BytePairEncoder words, BytePairEncoder::fromMerges(merges));
    if (words.tokenCount() != kStart)
        return fail(StatusCode::BadInput, fmt::format("the tokenizer's merges make {} tokens where CLIP has {}",
                                                      words.tokenCount(), static_cast<int>(kStart)));
    RB_ASSIGN(HtmlEntities entities, HtmlEntities::fromTable(names));
    return std::shared_ptr<const ClipTokenizer>(new ClipTokenizer(std::move(words), std::move(entities)));
}

std::vector<int> ClipTokenizer::encode(std::string_view text) const {
    const std::string plain = entities_.unescape(entities_.unescape(text));
    const std::u32string clean = lowerCase(collapseSpaces(codePointsOf(plain)));
    std::vector<int> tokens;
    for (std::u32string_view rest = clean; !rest.empty();) {
        std::size_t length = 1;
        if (rest.starts_with(kStartText)) {
            tokens.push_back(kStart);
            length = kStartText.size();
        } else if (rest.starts_with(kEndText)) {
            tokens.push_back(kEnd);
            length = kEndText.size();
        } else if (!isSpace(rest.front())) {
            length = wordLength(rest);
            words_.appendWord(toUtf8(rest.substr(0, length)), tokens);
        }
        rest.remove_prefix(length);
    }
    return tokens;
}

}  // namespace reelbrush::diffusion
