#pragma once

#include <filesystem>

namespace reelbrush::session {

/// Removes what this process has half written for `output`: for a face that must end at once, without waiting for the
/// engine thread, which otherwise removes it itself. Touches only temporary files and folders that bear this process's
/// number. Thread: any.
void removePartialOutput(const std::filesystem::path& output);

}  // namespace reelbrush::session
