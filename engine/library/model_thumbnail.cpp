#include "engine/library/model_thumbnail.h"

#include "engine/library/model_endings.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPictureBytes = 8U << 20;

fs::path besideIt(const fs::path& model) {
    for (const std::string& ending : pictureEndings()) {
        fs::path picture = besideModel(model, ending);
        std::error_code ignored;
        if (fs::is_regular_file(picture, ignored)) return picture;
    }
    return {};
}

struct DataUrl {
    std::string_view ending, base64;
};

std::optional<DataUrl> pictureUrl(std::string_view text) {
    for (const auto& [type, ending] : {std::pair{"jpeg", ".jpg"}, {"png", ".png"}, {"webp", ".webp"}}) {
        const std::string head = fmt::format("data:image/{};base64,", type);
        if (text.starts_with(head)) return DataUrl{ending, text.substr(head.size())};
    }
    return {};
}

}  // namespace

std::optional<std::vector<std::byte>> decodeBase64(std::string_view text) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (text.ends_with('=')) text.remove_suffix(1);
    if (text.size() % 4 == 1) return {};
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::size_t digit = kDigits.find(c);
        if (digit == std::string_view::npos) return {};
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<std::byte>(bits >> count & 0xffU));
    }
    return bytes;
}

fs::path thumbnailOf(const fs::path& model, const weights::Metadata& metadata, const fs::path& folder) {
    if (fs::path beside = besideIt(model); !beside.empty()) return beside;
    const auto found = metadata.find("modelspec.thumbnail");
    if (found == metadata.end() || found->second.size() > kLargestPictureBytes) return {};
    const auto url = pictureUrl(found->second);
    const auto bytes = url ? decodeBase64(url->base64) : std::nullopt;
    if (!bytes || bytes->empty()) return {};
    const fs::path picture = folder / fmt::format("{:016x}{}", XXH3_64bits(bytes->data(), bytes->size()), url->ending);
    std::error_code problem;
    if (fs::file_size(picture, problem) == bytes->size() && !problem) return picture;
    fs::create_directories(folder, problem);
    // Written beside and renamed, since another program may be reading or writing the same picture.
    fs::path partial = picture;
    partial += fmt::format(".{}.part", ::getpid());
    std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(bytes->data()), static_cast<std::streamsize>(bytes->size()));
    stream.close();
    if (stream) fs::rename(partial, picture, problem);
    if (stream && !problem) return picture;
    fs::remove(partial, problem);
    return {};
}

}  // namespace reelbrush::library
