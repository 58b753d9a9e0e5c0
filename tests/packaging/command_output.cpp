#include "tests/packaging/command_output.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace reelbrush::packaging {

CommandOutput runCommand(const std::string& command) {
    CommandOutput output;
    std::FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
    if (!pipe) return output;
    std::array<char, 4096> block;
    while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe))
        output.text.append(block.data(), got);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) output.exitCode = WEXITSTATUS(status);
    return output;
}

}  // namespace reelbrush::packaging
