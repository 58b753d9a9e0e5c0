#pragma once

#include "tests/architecture/file_rules.h"

#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::architecture {

struct SourceFile {
    std::string path;  ///< from the repository root, with '/' between folders
    std::string text;
};

/// Every C++ and CUDA source below app, ui, engine and kernels.
std::vector<SourceFile> readSources(const std::filesystem::path& root);

/// What a clone brings along: what git tracks or, where git or its folder is missing, every file of the tree except
/// build products. Files that are tracked but deleted are left out.
std::vector<TrackedFile> trackedFiles(const std::filesystem::path& root);

}  // namespace reelbrush::architecture
