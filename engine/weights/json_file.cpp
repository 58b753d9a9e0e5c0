#include "engine/weights/json_file.h"

#include "engine/weights/mapped_file.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <cstddef>

namespace reelbrush::weights {

namespace {

constexpr std::size_t kLargestBytes = std::size_t{64} << 20;

}  // namespace

Result<nlohmann::json> readJsonObject(const std::filesystem::path& path) {
    RB_ASSIGN(const auto file, MappedFile::open(path));
    const auto bytes = file->bytes();
    if (bytes.size() > kLargestBytes)
        return fail(StatusCode::BadInput,
                    fmt::format("{} has {} bytes, too many for a model's description (at most {})", quotedPath(path),
                                bytes.size(), kLargestBytes));
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    auto json = nlohmann::json::parse(text, text + bytes.size(), nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) return fail(StatusCode::BadInput, fmt::format("{} is not valid JSON", quotedPath(path)));
    if (!json.is_object())
        return fail(StatusCode::BadInput, fmt::format("{} does not hold a JSON object", quotedPath(path)));
    return json;
}

}  // namespace reelbrush::weights
