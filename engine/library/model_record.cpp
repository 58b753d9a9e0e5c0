#include "engine/library/model_record.h"

#include <algorithm>
#include <array>

namespace reelbrush::library {

std::string ModelRecord::name() const {
    constexpr std::array kEndings = {".safetensors", ".json", ".ckpt", ".pt", ".pth", ".bin", ".gguf"};
    std::filesystem::path shown = relative;
    // "v1.5-pruned" of a folder is no ending.
    if (std::ranges::find(kEndings, shown.extension().string()) != kEndings.end()) shown.replace_extension();
    return shown.generic_string();
}

}  // namespace reelbrush::library
