#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace reelbrush::weights {

/// Reads a tensor's name from left to right: "input_blocks.4.1.norm.weight".
class DottedName {
  public:
    explicit DottedName(std::string_view name) : rest_(name) {}

    /// Goes past the text if the rest begins with it.
    bool take(std::string_view text) {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }
    /// Goes past "N."; nothing, and no step, where the rest begins otherwise.
    std::optional<int> takeIndex() {
        int index = 0;
        const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), index);
        const auto length = static_cast<std::size_t>(read.ptr - rest_.data());
        if (read.ec != std::errc() || index < 0 || length >= rest_.size() || rest_[length] != '.') return std::nullopt;
        rest_.remove_prefix(length + 1);
        return index;
    }
    std::string_view rest() const { return rest_; }

    /// The rest with one of the beginnings (`from`, `to`) exchanged; nothing where none fits. Pairs are tried in order.
    template <std::size_t N>
    std::optional<std::string> exchanged(const std::pair<std::string_view, std::string_view> (&pairs)[N]) const {
        for (const auto& [from, to] : pairs)
            if (rest_.starts_with(from)) return std::string(to).append(rest_.substr(from.size()));
        return std::nullopt;
    }

  private:
    std::string_view rest_;
};

}  // namespace reelbrush::weights
