#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::architecture {

/// One broken rule, as a sentence that begins with "path:line: ".
using Violations = std::vector<std::string>;

/// Checks the #include lines of one source against the house's rules: app → ui → engine → kernels, each engine folder
/// only what its row of the table in ARCHITECTURE.md allows, and every third-party library only in the folder that
/// wraps it (Qt in ui and app/desktop, CUDA in kernels/cuda, FFmpeg in engine/media, and so on).
/// path: from the repository root, with '/' between folders; text: the whole file.
Violations includeViolations(std::string_view path, std::string_view text);

}  // namespace reelbrush::architecture
