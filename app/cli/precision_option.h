#pragma once

#include "kernels/cpu/cpu_backend.h"

#include <CLI/CLI.hpp>

namespace reelbrush::cli {

/// Adds `--precision fastest|float32|int8` to a verb. precision must outlive the parsing; it keeps its value where the
/// option is not given.
void addPrecisionOption(CLI::App& verb, kernels::Precision& precision);

}  // namespace reelbrush::cli
