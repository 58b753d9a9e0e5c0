#include "engine/diffusion/text/packed_text.h"

#include "engine/weights/mapped_file.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <zstd.h>

namespace reelbrush::diffusion {

namespace {

constexpr unsigned long long kLargestBytes = 16ull << 20;

}  // namespace

Result<std::string> readPackedText(const std::filesystem::path& path) {
    RB_ASSIGN(const auto file, weights::MappedFile::open(path));
    const auto packed = file->bytes();
    const auto broken = [&](const char* what) {
        return fail(StatusCode::BadInput,
                    fmt::format("{} {}: install the program again", weights::quotedPath(path), what));
    };
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        return broken("is not a zstd file of known size");
    if (size > kLargestBytes) return broken("is too large for a table of the tokenizer");
    std::string text(static_cast<std::size_t>(size), '\0');
    const std::size_t unpacked = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
    if (ZSTD_isError(unpacked) || unpacked != text.size()) return broken("is cut or damaged");
    return text;
}

}  // namespace reelbrush::diffusion
