#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::library {

/// What a file is, as far as its name tells. Case does not count.
enum class FileForm {
    Other,
    Safetensors,
    ShardIndex,          ///< NAME.safetensors.index.json
    Pickle,              ///< not read
    Gguf,                ///< not read
    UnfinishedDownload,  ///< NAME.safetensors.part and its like, as browsers and download programs call them
};

FileForm formOf(std::string_view fileName);

/// "ink" of "ink.safetensors", "INK.SFT" and "ink.safetensors.index.json"; names without such an ending stay ("v1.5" of
/// a folder has none).
std::string withoutModelEnding(std::string_view fileName);

/// The file beside a model that is called like it, with another ending (".preview.png").
std::filesystem::path besideModel(const std::filesystem::path& model, std::string_view ending);

/// Endings of pictures that show a model, as A1111 and Civitai Helper write them; what comes first counts.
const std::vector<std::string>& pictureEndings();
/// All endings of files beside a model that say something of it: pictures, sidecars.
const std::vector<std::string>& companionEndings();

}  // namespace reelbrush::library
