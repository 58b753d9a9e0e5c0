#pragma once

#include <string>

namespace reelbrush::packaging {

struct CommandOutput {
    int exitCode = -1;
    std::string text;  ///< standard output and standard error together
};

/// Runs a shell command line and waits for it.
CommandOutput runCommand(const std::string& command);

}  // namespace reelbrush::packaging
