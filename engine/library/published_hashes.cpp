#include "engine/library/published_hashes.h"

#include "engine/library/model_endings.h"
#include "engine/styles/near_miss.h"
#include "engine/weights/json_file.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kHexDigits = 64;

/// The digits that a text begins with ("0x" may stand before them), in lower case; empty where it begins otherwise.
std::string digitsOf(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    std::string digits = styles::lowerCase(text.substr(0, kHexDigits));
    const auto isHex = [](unsigned char c) { return std::isxdigit(c) != 0; };
    const bool ends = text.size() <= kHexDigits || std::isspace(static_cast<unsigned char>(text[kHexDigits])) != 0;
    return digits.size() == kHexDigits && ends && std::ranges::all_of(digits, isHex) ? digits : std::string();
}

Result<std::vector<PublishedHash>> fromSumFile(const fs::path& file) {
    for (const fs::path& sidecar : {fs::path(file) += ".sha256", besideModel(file, ".sha256")}) {
        std::error_code ignored;
        if (!fs::is_regular_file(sidecar, ignored)) continue;
        std::string line;
        std::ifstream stream(sidecar);
        std::getline(stream, line);
        const std::string digits = digitsOf(line);
        if (digits.empty())
            return fail(StatusCode::BadInput, fmt::format("{} holds no SHA-256: 64 hex digits were expected in its "
                                                          "first line",
                                                          weights::quotedPath(sidecar)));
        return std::vector<PublishedHash>{{weights::quotedPath(sidecar), {digits}}};
    }
    return std::vector<PublishedHash>();
}

/// Of one entry of Civitai's list of files; empty where it has none.
std::string civitaiDigits(const Json& entry) {
    if (!entry.is_object()) return {};
    const auto hashes = entry.find("hashes");
    if (hashes == entry.end() || !hashes->is_object()) return {};
    const auto sha256 = hashes->find("SHA256");
    return sha256 != hashes->end() && sha256->is_string() ? digitsOf(sha256->get<std::string>()) : std::string();
}

/// A model often comes in several files (pruned, half precision), and people rename them: where none has this name,
/// any of them will do.
void addFromCivitai(const fs::path& file, std::vector<PublishedHash>& found) {
    const fs::path sidecar = besideModel(file, ".civitai.info");
    std::error_code ignored;
    if (!fs::is_regular_file(sidecar, ignored)) return;
    const auto info = weights::readJsonObject(sidecar);
    if (!info) return;
    const auto files = info->find("files");
    if (files == info->end() || !files->is_array()) return;
    PublishedHash named{weights::quotedPath(sidecar), {}}, any = named;
    for (const Json& entry : *files) {
        const std::string digits = civitaiDigits(entry);
        if (digits.empty()) continue;
        any.sha256.push_back(digits);
        const auto name = entry.find("name");
        if (name != entry.end() && name->is_string() && name->get<std::string>() == file.filename().string())
            named.sha256.push_back(digits);
    }
    if (!named.sha256.empty())
        found.push_back(named);
    else if (!any.sha256.empty())
        found.push_back(any);
}

}  // namespace

Result<std::vector<PublishedHash>> publishedHashes(const fs::path& file, const weights::Metadata& metadata) {
    RB_ASSIGN(std::vector<PublishedHash> found, fromSumFile(file));
    addFromCivitai(file, found);
    if (const auto stored = metadata.find("modelspec.hash_sha256"); stored != metadata.end())
        if (const std::string digits = digitsOf(stored->second); !digits.empty())
            found.push_back({"its metadata (modelspec.hash_sha256)", {digits}, true});
    return found;
}

}  // namespace reelbrush::library
