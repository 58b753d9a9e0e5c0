#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <cstddef>

namespace reelbrush::weights {

namespace {

constexpr std::size_t kLongestName = 120;

void appendPrintable(std::string& out, std::string_view text) {
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
}

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::string quotedName(std::string_view name) {
    std::string out = "'";
    if (name.size() <= kLongestName) {
        appendPrintable(out, name);
    } else {
        std::size_t head = kLongestName / 2;
        std::size_t tail = name.size() - kLongestName / 2;
        while (head > 0 && isContinuation(name[head])) --head;
        while (tail < name.size() && isContinuation(name[tail])) ++tail;
        appendPrintable(out, name.substr(0, head));
        out += "...";
        appendPrintable(out, name.substr(tail));
    }
    out += '\'';
    return out;
}

std::string quotedPath(const std::filesystem::path& path) {
    std::string out = "'";
    appendPrintable(out, path.native());
    out += '\'';
    return out;
}

}  // namespace reelbrush::weights
