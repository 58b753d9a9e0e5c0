#include "engine/diffusion/text/prompt_weights.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace reelbrush::diffusion {

namespace {

constexpr double kRoundFactor = 1.1, kSquareFactor = 1 / 1.1;
constexpr std::string_view kSyntax = "\\()[]:", kBlanks = " \t\n\r\f\v", kBreak = "BREAK";

/// True for what a word may hold; bytes of other alphabets count as letters.
bool isWordByte(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value >= 0x80 || std::isalnum(value) || byte == '_';
}

/// The weight that closes a round bracket, as in ":1.2 )", and how long it is.
struct ClosingWeight {
    double weight = 1.0;
    std::size_t length = 0;
};

/// text begins with ":".
std::optional<ClosingWeight> closingWeight(std::string_view text) {
    std::size_t at = std::min(text.find_first_not_of(kBlanks, 1), text.size());
    if (at < text.size() && text[at] == '+') ++at;
    double weight = 0.0;
    const char* first = text.data() + at;
    const auto read = std::from_chars(first, text.data() + text.size(), weight, std::chars_format::fixed);
    // "inf" and "nan" would be numbers to from_chars.
    const bool isNumber =
        std::all_of(first, read.ptr, [](char c) { return c == '-' || c == '.' || (c >= '0' && c <= '9'); });
    if (read.ec != std::errc() || !isNumber) return std::nullopt;
    const auto behind = text.find_first_not_of(kBlanks, static_cast<std::size_t>(read.ptr - text.data()));
    if (behind == std::string_view::npos || text[behind] != ')') return std::nullopt;
    return ClosingWeight{weight, behind + 1};
}

class Reader {
  public:
    explicit Reader(std::string_view prompt) : rest_(prompt) {}

    std::vector<WeightedText> read() {
        while (!rest_.empty()) rest_.remove_prefix(readOne());
        for (const std::size_t first : round_) multiply(first, kRoundFactor);
        for (const std::size_t first : square_) multiply(first, kSquareFactor);
        return joined();
    }

  private:
    /// Reads one mark or a run of plain text; returns its length.
    std::size_t readOne() {
        const char mark = rest_.front();
        if (mark == '\\') return readEscape();
        if (mark == '(' || mark == '[') {
            (mark == '(' ? round_ : square_).push_back(pieces_.size());
            return 1;
        }
        if (mark == ')' && !round_.empty()) return close(round_, kRoundFactor, 1);
        if (mark == ']' && !square_.empty()) return close(square_, kSquareFactor, 1);
        if (mark == ':' && !round_.empty())
            if (const auto found = closingWeight(rest_)) return close(round_, found->weight, found->length);
        const std::size_t length = std::max<std::size_t>(1, std::min(rest_.find_first_of(kSyntax), rest_.size()));
        addPlain(rest_.substr(0, length));
        return length;
    }

    std::size_t readEscape() {
        const bool escapes = rest_.size() > 1 && std::string_view("\\()[]").find(rest_[1]) != std::string_view::npos;
        pieces_.push_back({escapes ? std::string(1, rest_[1]) : std::string(), 1.0, false});
        return escapes ? 2 : 1;
    }

    std::size_t close(std::vector<std::size_t>& open, double factor, std::size_t length) {
        multiply(open.back(), factor);
        open.pop_back();
        return length;
    }

    void multiply(std::size_t first, double factor) {
        for (std::size_t i = first; i < pieces_.size(); ++i)
            pieces_[i].weight = std::clamp(pieces_[i].weight * factor, -kLargestPromptWeight, kLargestPromptWeight);
    }

    /// Text without marks, cut where it says BREAK; the blanks around that go.
    void addPlain(std::string_view text) {
        bool startsChunk = false;
        for (std::size_t from = 0;;) {
            const std::size_t at = text.find(kBreak, from);
            if (at == std::string_view::npos) break;
            const std::size_t behind = at + kBreak.size();
            from = behind;
            if ((at > 0 && isWordByte(text[at - 1])) || (behind < text.size() && isWordByte(text[behind]))) continue;
            const std::size_t end = text.substr(0, at).find_last_not_of(kBlanks);
            pieces_.push_back(
                {std::string(text.substr(0, end == std::string_view::npos ? 0 : end + 1)), 1.0, startsChunk});
            text.remove_prefix(std::min(text.find_first_not_of(kBlanks, behind), text.size()));
            startsChunk = true;
            from = 0;
        }
        pieces_.push_back({std::string(text), 1.0, startsChunk});
    }

    std::vector<WeightedText> joined() {
        std::vector<WeightedText> result;
        for (WeightedText& piece : pieces_) {
            if (!result.empty() && !piece.startsChunk && result.back().weight == piece.weight)
                result.back().text += piece.text;
            else
                result.push_back(std::move(piece));
        }
        if (result.empty()) result.emplace_back();
        return result;
    }

    std::string_view rest_;
    std::vector<WeightedText> pieces_;
    std::vector<std::size_t> round_, square_;  ///< of each open bracket: the first piece inside
};

}  // namespace

std::vector<WeightedText> readPromptWeights(std::string_view prompt) {
    return Reader(prompt).read();
}

}  // namespace reelbrush::diffusion
