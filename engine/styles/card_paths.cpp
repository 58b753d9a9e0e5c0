#include "engine/styles/card_paths.h"

#include <algorithm>
#include <system_error>

namespace reelbrush::styles {

namespace fs = std::filesystem;

fs::path absoluteFrom(const fs::path& cardFile, const std::string& path) {
    std::error_code ignored;
    return (fs::absolute(cardFile, ignored).parent_path() / path).lexically_normal();
}

std::string pathForCard(const fs::path& target, const fs::path& cardFile) {
    std::error_code ignored;
    const fs::path folder = fs::absolute(cardFile, ignored).lexically_normal().parent_path();
    const fs::path relative = target.lexically_relative(folder);
    const auto up = std::count(relative.begin(), relative.end(), fs::path(".."));
    return (relative.empty() || up > 1 ? target : relative).string();
}

std::string modelFrom(const fs::path& cardFile, const std::string& nameOrPath) {
    if (nameOrPath.empty()) return {};
    std::error_code ignored;
    const fs::path absolute = absoluteFrom(cardFile, nameOrPath);
    return fs::exists(absolute, ignored) ? absolute.string() : nameOrPath;
}

std::string modelForCard(const std::string& nameOrPath, const fs::path& cardFile) {
    return fs::path(nameOrPath).is_absolute() ? pathForCard(nameOrPath, cardFile) : nameOrPath;
}

}  // namespace reelbrush::styles
