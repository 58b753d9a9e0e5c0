#pragma once

#include "engine/core/status.h"
#include "engine/weights/quoted_name.h"

#include <filesystem>
#include <utility>

namespace reelbrush::weights {

/// The result with "'the/file': " before its error, for errors of functions that know no file.
template <typename T>
Result<T> inFile(const std::filesystem::path& path, Result<T> result) {
    if (!result) result.error().message = quotedPath(path) + ": " + result.error().message;
    return result;
}

}  // namespace reelbrush::weights
