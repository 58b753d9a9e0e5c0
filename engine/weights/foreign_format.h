#pragma once

#include "engine/core/status.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace reelbrush::weights {

/// Success unless the bytes are something else that people offer as a model: a PyTorch pickle (never opened, since it
/// can run code), a GGUF file, a Git LFS pointer or a saved web page. The error then says what it is and what to do.
/// path: for the message and its ending (.ckpt, .pt, .pth, .bin). bytes: the file from its beginning; may be empty.
/// Errors: Unsupported for pickles and GGUF, BadInput for the others.
Status refuseForeignFormat(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace reelbrush::weights
