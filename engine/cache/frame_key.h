#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace reelbrush::cache {

/// Names a frame by everything that went into it. Two frames with one key are the same frame.
struct FrameKey {
    std::uint64_t high = 0, low = 0;

    auto operator<=>(const FrameKey&) const = default;
    /// 32 hexadecimal digits.
    std::string text() const;
};

/// Collects what goes into a frame (clip, frame, style, weights, seed, size, version of the painter ...) and makes its
/// key: the 128-bit XXH3 of all fields. Names, types, values and their order all count; nothing is left to chance of
/// spelling, since each field is written with its length: ("a", "bc") differs from ("ab", "c").
///
///     FrameKeyBuilder("painting", 3).add("clip", clipHash).add("frame", 42).add("seed", seed).key()
///
/// Not for secrets: XXH3 is no cryptographic hash. Source: xxHash, XXH3_128bits.
class FrameKeyBuilder {
  public:
    /// kind: what the fields describe. version: raised whenever the same fields come to mean another frame.
    FrameKeyBuilder(std::string_view kind, std::int64_t version);

    FrameKeyBuilder& add(std::string_view name, std::string_view text);
    FrameKeyBuilder& add(std::string_view name, const char* text) { return add(name, std::string_view(text)); }
    FrameKeyBuilder& add(std::string_view name, std::span<const std::byte> bytes);
    FrameKeyBuilder& add(std::string_view name, const FrameKey& key);
    /// Its bits count: -0.0 and 0.0 differ, and so do 0.1f and 0.1.
    FrameKeyBuilder& add(std::string_view name, double number);
    FrameKeyBuilder& add(std::string_view name, bool isTrue);
    /// Any whole number; its type does not count.
    template <typename Whole>
    requires std::is_integral_v<Whole> &&
        (!std::is_same_v<Whole, bool>)FrameKeyBuilder& add(std::string_view name, Whole number) {
        return addWhole(name, static_cast<std::uint64_t>(number), number < Whole{0});
    }

    FrameKey key() const;

  private:
    FrameKeyBuilder& addWhole(std::string_view name, std::uint64_t number, bool isNegative);
    FrameKeyBuilder& addField(char type, std::string_view name, const void* value, std::size_t bytes);

    std::string description_;
};

}  // namespace reelbrush::cache

template <>
struct std::hash<reelbrush::cache::FrameKey> {
    /// The key is a hash already.
    std::size_t operator()(const reelbrush::cache::FrameKey& key) const noexcept { return key.low; }
};
