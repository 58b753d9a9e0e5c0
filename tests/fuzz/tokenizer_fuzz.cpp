// Feeds arbitrary bytes to the tokenizer, and to the readers of its tables.

#include "engine/core/xdg_folders.h"
#include "engine/diffusion/text/clip_tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

namespace diffusion = reelbrush::diffusion;

void require(bool holds) {
    if (!holds) std::abort();
}

const diffusion::ClipTokenizer& tokenizer() {
    static const auto kTokenizer = diffusion::ClipTokenizer::open(reelbrush::resourcesFolder() / "tokenizer").value();
    return *kTokenizer;
}

void readAsTables(std::string_view text) {
    if (const auto entities = diffusion::HtmlEntities::fromTable(text)) require(entities->unescape("plain") == "plain");
    if (const auto words = diffusion::BytePairEncoder::fromMerges(text)) {
        std::vector<int> tokens;
        words->appendWord(text, tokens);
        require(tokens.size() <= text.size());
        for (const int token : tokens) require(token >= 0 && token < words->tokenCount());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto tokens = tokenizer().encode(text);
    for (const int token : tokens) require(token >= 0 && token <= diffusion::ClipTokenizer::kEnd);
    // What surrounds a text does not change its tokens.
    require(tokenizer().encode(" \n" + std::string(text) + "\t ") == tokens);
    readAsTables(text);
    return 0;
}
