#include "engine/diffusion/text/prompt_words.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace reelbrush::diffusion {

namespace {

constexpr std::string_view kPrefix = "embedding:";

/// Where the prefix begins as a word of its own, in any case.
std::size_t findPrefix(std::string_view text) {
    for (std::size_t at = 0; at + kPrefix.size() <= text.size(); ++at) {
        const bool same = std::ranges::equal(text.substr(at, kPrefix.size()), kPrefix, [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == b;
        });
        if (same && (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1])))) return at;
    }
    return std::string_view::npos;
}

}  // namespace

PromptWords::PromptWords(const ClipTokenizer& tokenizer, const EmbeddingLibrary* embeddings, std::vector<int> widths)
    : tokenizer_(tokenizer), embeddings_(embeddings), widths_(std::move(widths)) {
    if (!embeddings) return;
    for (std::string& word : embeddings->words()) {
        std::vector<int> tokens = tokenizer.encode(word);
        if (tokens.empty()) continue;
        auto& sameStart = known_[tokens.front()];
        sameStart.push_back({std::move(tokens), std::move(word)});
    }
    for (auto& [token, sameStart] : known_)
        std::ranges::stable_sort(sameStart, std::greater<>(), [](const Known& known) { return known.tokens.size(); });
}

std::vector<PromptWord> PromptWords::read(std::string_view text) {
    std::vector<PromptWord> words;
    for (;;) {
        const std::size_t at = findPrefix(text);
        appendPlain(text.substr(0, at), words);
        if (at == std::string_view::npos) return words;
        text.remove_prefix(at + kPrefix.size());
        const std::string_view word = namedWord(text);
        if (auto embedding = load(std::string(word))) words.push_back({0, std::move(embedding)});
        text.remove_prefix(word.size());
    }
}

/// The word that stands behind "embedding:": what reaches to the next blank or comma; where no embedding is called so,
/// the longest one that the text begins with.
std::string_view PromptWords::namedWord(std::string_view text) const {
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n,"));
    if (!embeddings_ || embeddings_->contains(word)) return word;
    std::size_t longest = 0;
    for (const auto& [token, sameStart] : known_)
        for (const Known& known : sameStart) {
            const std::size_t size = known.word.size();
            if (size <= longest || size > text.size() || !embeddings_->contains(text.substr(0, size))) continue;
            const bool ends = size == text.size() || !std::isalnum(static_cast<unsigned char>(text[size]));
            if (ends) longest = size;
        }
    return longest > 0 ? text.substr(0, longest) : word;
}

void PromptWords::appendPlain(std::string_view text, std::vector<PromptWord>& words) {
    const std::vector<int> tokens = tokenizer_.encode(text);
    for (std::size_t at = 0; at < tokens.size();) {
        const auto sameStart = known_.find(tokens[at]);
        std::shared_ptr<const TextEmbedding> embedding;
        std::size_t length = 1;
        if (sameStart != known_.end())
            for (const Known& known : sameStart->second) {
                const std::size_t size = known.tokens.size();
                if (size > tokens.size() - at || !std::equal(known.tokens.begin(), known.tokens.end(), &tokens[at]))
                    continue;
                embedding = load(known.word);
                if (!embedding) continue;
                length = size;
                break;
            }
        words.push_back({embedding ? 0 : tokens[at], std::move(embedding)});
        at += length;
    }
}

std::shared_ptr<const TextEmbedding> PromptWords::load(const std::string& word) {
    const auto before = loaded_.find(word);
    if (before != loaded_.end()) return before->second;
    std::shared_ptr<const TextEmbedding> usable;
    std::string problem = "no folder of embeddings is known";
    if (embeddings_) {
        auto opened = embeddings_->open(word);
        const Status fits = opened ? opened->fits(widths_) : Status();
        if (opened && fits)
            usable = std::make_shared<const TextEmbedding>(std::move(*opened));
        else
            problem = opened ? fits.error().message : opened.error().message;
    }
    if (!usable) notes_.push_back(fmt::format("embedding {} is not used: {}", weights::quotedName(word), problem));
    loaded_.emplace(word, usable);
    return usable;
}

std::vector<std::string> PromptWords::takeNotes() {
    return std::exchange(notes_, {});
}

}  // namespace reelbrush::diffusion
