#include "tests/architecture/file_rules.h"

#include <algorithm>
#include <array>
#include <regex>

namespace reelbrush::architecture {

std::vector<std::string> nameViolations(std::string_view path) {
    constexpr std::array<std::string_view, 7> kEmptyWords = {"util",   "utils",   "helper",  "helpers",
                                                             "common", "manager", "managers"};
    static const std::regex kWord("[A-Za-z0-9]+");
    std::vector<std::string> violations;
    const std::string name(path);
    for (std::sregex_iterator word(name.begin(), name.end(), kWord), end; word != end; ++word)
        if (std::find(kEmptyWords.begin(), kEmptyWords.end(), word->str()) != kEmptyWords.end())
            violations.push_back(name + ": '" + word->str() + "' says nothing about what is inside");
    return violations;
}

std::vector<std::string> lengthViolations(std::string_view path, std::string_view text) {
    auto lines = std::count(text.begin(), text.end(), '\n');
    if (!text.empty() && text.back() != '\n') ++lines;
    if (lines <= kMaxLines) return {};
    return {std::string(path) + ": " + std::to_string(lines) + " lines, more than " + std::to_string(kMaxLines)};
}

std::vector<std::string> sizeViolations(const std::vector<TrackedFile>& files) {
    std::vector<std::string> violations;
    std::uintmax_t totalBytes = 0;
    for (const TrackedFile& file : files) {
        totalBytes += file.sizeBytes;
        if (file.sizeBytes > kMaxFileBytes)
            violations.push_back(file.path + ": " + std::to_string(file.sizeBytes) + " bytes, more than " +
                                 std::to_string(kMaxFileBytes));
    }
    if (totalBytes >= kMaxRepositoryBytes)
        violations.push_back("the repository's files have " + std::to_string(totalBytes) + " bytes, not less than " +
                             std::to_string(kMaxRepositoryBytes));
    return violations;
}

}  // namespace reelbrush::architecture
