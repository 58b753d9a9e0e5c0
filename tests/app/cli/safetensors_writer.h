#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace reelbrush::cli::testing {

/// A safetensors file with any header and that many zero bytes behind it. headerBytes: what the file claims as the
/// header's length; negative: the truth.
void writeSafetensors(const std::filesystem::path& file, const std::string& header, std::size_t dataBytes,
                      std::int64_t headerBytes = -1);

}  // namespace reelbrush::cli::testing
