#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::architecture {

inline constexpr int kMaxLines = 400;
inline constexpr std::uintmax_t kMaxFileBytes = 25'000'000;
inline constexpr std::uintmax_t kMaxRepositoryBytes = 52'000'000;

struct TrackedFile {
    std::string path;  ///< from the repository root
    std::uintmax_t sizeBytes = 0;
};

/// Names that say nothing about what is inside: a file or folder must be named for its one idea.
std::vector<std::string> nameViolations(std::string_view path);

/// A source of more than kMaxLines lines holds more than one idea.
std::vector<std::string> lengthViolations(std::string_view path, std::string_view text);

/// A clone must stay small: no file above kMaxFileBytes, all together below kMaxRepositoryBytes.
std::vector<std::string> sizeViolations(const std::vector<TrackedFile>& files);

}  // namespace reelbrush::architecture
