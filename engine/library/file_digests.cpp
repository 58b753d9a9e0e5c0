#include "engine/library/file_digests.h"

#include <fmt/format.h>
#include <nettle/sha2.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace reelbrush::library {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{32} << 20;

class Sha256 {
  public:
    Sha256() { sha256_init(&context_); }
    void add(std::span<const std::byte> bytes) {
        sha256_update(&context_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
    }
    std::string hex() {
        std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
        sha256_digest(&context_, digest.size(), digest.data());
        std::string text;
        for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
        return text;
    }

  private:
    sha256_ctx context_{};
};

/// Where the tensors begin: behind the header's length and the header, both of which were checked when it was opened.
std::size_t dataOffset(std::span<const std::byte> bytes) {
    std::uint64_t headerBytes = 0;
    std::memcpy(&headerBytes, bytes.data(), sizeof headerBytes);
    return sizeof headerBytes + static_cast<std::size_t>(headerBytes);
}

}  // namespace

struct ModelDigester::State {
    std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> xxh3{XXH3_createState(), XXH3_freeState};
};

ModelDigester::ModelDigester(const CancelToken& cancel, std::function<void(std::uint64_t)> told)
    : cancel_(cancel), told_(std::move(told)), state_(std::make_unique<State>()) {
    if (state_->xxh3) XXH3_128bits_reset(state_->xxh3.get());
}

ModelDigester::~ModelDigester() = default;

Result<FileDigests> ModelDigester::add(const weights::SafetensorsFile& file, const WantedDigests& wanted) {
    if (!state_->xxh3) return fail(StatusCode::OutOfMemory, "there is no memory to compute a hash");
    Sha256 whole, tensors;
    const auto bytes = file.allBytes();
    const std::size_t dataBegin = dataOffset(bytes);
    for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
        RB_TRY(cancel_.check());
        const auto chunk = bytes.subspan(at, std::min(kChunkBytes, bytes.size() - at));
        XXH3_128bits_update(state_->xxh3.get(), chunk.data(), chunk.size());
        if (wanted.sha256) whole.add(chunk);
        if (wanted.tensorsSha256 && at + chunk.size() > dataBegin)
            tensors.add(chunk.subspan(at < dataBegin ? dataBegin - at : 0));
        file.dropPages();
        if (told_) told_(chunk.size());
    }
    FileDigests digests;
    if (wanted.sha256) digests.sha256 = whole.hex();
    if (wanted.tensorsSha256) digests.tensorsSha256 = tensors.hex();
    return digests;
}

std::string ModelDigester::xxh3() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh3.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace reelbrush::library
