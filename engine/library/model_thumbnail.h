#pragma once

#include "engine/weights/base_model.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace reelbrush::library {

/// The picture of a model: beside it (NAME.preview.png, NAME.png, and .jpg .jpeg .webp likewise, as A1111 and Civitai
/// Helper write them), else the one in its metadata (modelspec.thumbnail), which is put into `folder`. Empty for none.
std::filesystem::path thumbnailOf(const std::filesystem::path& model, const weights::Metadata& metadata,
                                  const std::filesystem::path& folder);

/// The bytes that a base64 text stands for (RFC 4648, section 4); nothing where it is none.
std::optional<std::vector<std::byte>> decodeBase64(std::string_view text);

}  // namespace reelbrush::library
