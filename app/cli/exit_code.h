#pragma once

namespace reelbrush::cli {

/// How the program ends, as README and every verb's --help promise.
enum ExitCode : int {
    kDone = 0,
    kFailed = 1,
    kWrongUsage = 2,
    kInterrupted = 130,  ///< as shells tell of a program that Ctrl+C ended
};

}  // namespace reelbrush::cli
