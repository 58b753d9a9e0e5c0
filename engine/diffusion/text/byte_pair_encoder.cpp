#include "engine/diffusion/text/byte_pair_encoder.h"

#include "engine/diffusion/text/unicode_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace reelbrush::diffusion {

namespace {

constexpr int kBytes = 256;
constexpr std::string_view kWordEnd = "</w>";

bool isVisible(int byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// Bytes in the order of their tokens: visible ones first.
std::array<std::uint8_t, kBytes> bytesByToken() {
    std::array<std::uint8_t, kBytes> bytes{};
    std::size_t next = 0;
    for (const bool visible : {true, false})
        for (int byte = 0; byte < kBytes; ++byte)
            if (isVisible(byte) == visible) bytes[next++] = static_cast<std::uint8_t>(byte);
    return bytes;
}

std::array<int, kBytes> tokensByByte() {
    std::array<int, kBytes> tokens{};
    const auto bytes = bytesByToken();
    for (int token = 0; token < kBytes; ++token) tokens[bytes[static_cast<std::size_t>(token)]] = token;
    return tokens;
}

/// Tokens of single bytes by how the merges write them: invisible bytes as the characters from U+0100 on.
std::unordered_map<std::string, int> byteSymbols() {
    std::unordered_map<std::string, int> symbols;
    const auto bytes = bytesByToken();
    char32_t stranger = 0x100;
    for (int token = 0; token < kBytes; ++token) {
        const int byte = bytes[static_cast<std::size_t>(token)];
        std::string symbol;
        appendUtf8(isVisible(byte) ? static_cast<char32_t>(byte) : stranger++, symbol);
        symbols.emplace(symbol, token);
        symbols.emplace(symbol + std::string(kWordEnd), token + kBytes);
    }
    return symbols;
}

std::uint64_t pairKey(int first, int second) {
    return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(second);
}

}  // namespace

Result<BytePairEncoder> BytePairEncoder::fromMerges(std::string_view merges) {
    BytePairEncoder encoder;
    auto symbols = byteSymbols();
    std::uint32_t rank = 0;
    while (!merges.empty()) {
        const std::size_t end = std::min(merges.find('\n'), merges.size());
        const std::string_view line = merges.substr(0, end);
        merges.remove_prefix(std::min(end + 1, merges.size()));
        const std::size_t blank = std::min(line.find(' '), line.size());
        const std::string first(line.substr(0, blank)), second(line.substr(std::min(blank + 1, line.size())));
        const auto a = symbols.find(first), b = symbols.find(second);
        if (a == symbols.end() || b == symbols.end())
            return fail(StatusCode::BadInput, fmt::format("line {} of the tokenizer's merges is damaged", rank + 1));
        const std::uint64_t key = pairKey(a->second, b->second);
        const bool isNew = symbols.emplace(first + second, static_cast<int>(kByteTokens + rank)).second;
        if (!isNew || !encoder.mergeRanks_.emplace(key, rank).second)
            return fail(StatusCode::BadInput,
                        fmt::format("line {} of the tokenizer's merges is there twice", rank + 1));
        ++rank;
    }
    return encoder;
}

void BytePairEncoder::appendWord(std::string_view word, std::vector<int>& tokens) const {
    static const std::array<int, kBytes> kTokens = tokensByByte();
    if (word.empty()) return;
    std::vector<int> parts;
    parts.reserve(word.size());
    for (const char byte : word) parts.push_back(kTokens[static_cast<std::uint8_t>(byte)]);
    parts.back() += kBytes;

    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    const auto rankAt = [&](std::size_t i) {
        const auto found = mergeRanks_.find(pairKey(parts[i], parts[i + 1]));
        return found == mergeRanks_.end() ? kNone : found->second;
    };
    while (parts.size() > 1) {
        std::uint32_t best = kNone;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) best = std::min(best, rankAt(i));
        if (best == kNone) break;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const bool merges = i + 1 < parts.size() && rankAt(i) == best;
            parts[kept++] = merges ? static_cast<int>(kByteTokens + best) : parts[i];
            if (merges) ++i;
        }
        parts.resize(kept);
    }
    tokens.insert(tokens.end(), parts.begin(), parts.end());
}

}  // namespace reelbrush::diffusion
