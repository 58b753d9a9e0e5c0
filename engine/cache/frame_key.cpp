#include "engine/cache/frame_key.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <bit>

namespace reelbrush::cache {

namespace {

/// Of the description's own form.
constexpr int kFormVersion = 1;

/// Little endian, whatever the machine.
void appendNumber(std::string& text, std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) text += static_cast<char>(number >> (8 * byte) & 0xff);
}

std::string bytesOf(std::uint64_t number) {
    std::string bytes;
    appendNumber(bytes, number);
    return bytes;
}

}  // namespace

std::string FrameKey::text() const {
    return fmt::format("{:016x}{:016x}", high, low);
}

FrameKeyBuilder::FrameKeyBuilder(std::string_view kind, std::int64_t version) {
    add("form", kFormVersion).add("kind", kind).add("version", version);
}

FrameKeyBuilder& FrameKeyBuilder::add(std::string_view name, std::string_view text) {
    return addField('t', name, text.data(), text.size());
}

FrameKeyBuilder& FrameKeyBuilder::add(std::string_view name, std::span<const std::byte> bytes) {
    return addField('x', name, bytes.data(), bytes.size());
}

FrameKeyBuilder& FrameKeyBuilder::add(std::string_view name, const FrameKey& key) {
    const std::string bytes = bytesOf(key.high) + bytesOf(key.low);
    return addField('k', name, bytes.data(), bytes.size());
}

FrameKeyBuilder& FrameKeyBuilder::add(std::string_view name, double number) {
    const std::string bytes = bytesOf(std::bit_cast<std::uint64_t>(number));
    return addField('d', name, bytes.data(), bytes.size());
}

FrameKeyBuilder& FrameKeyBuilder::add(std::string_view name, bool isTrue) {
    return addField('b', name, isTrue ? "1" : "0", 1);
}

FrameKeyBuilder& FrameKeyBuilder::addWhole(std::string_view name, std::uint64_t number, bool isNegative) {
    const std::string bytes = bytesOf(number);
    return addField(isNegative ? 'm' : 'w', name, bytes.data(), bytes.size());
}

FrameKeyBuilder& FrameKeyBuilder::addField(char type, std::string_view name, const void* value, std::size_t bytes) {
    description_ += type;
    appendNumber(description_, name.size());
    description_ += name;
    appendNumber(description_, bytes);
    description_.append(static_cast<const char*>(value), bytes);
    return *this;
}

FrameKey FrameKeyBuilder::key() const {
    const XXH128_hash_t hash = XXH3_128bits(description_.data(), description_.size());
    return {hash.high64, hash.low64};
}

}  // namespace reelbrush::cache
