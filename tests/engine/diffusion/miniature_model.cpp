#include "tests/engine/diffusion/miniature_model.h"

#include "tests/support/test_data.h"

#include <fstream>

namespace reelbrush::testing {

std::filesystem::path miniatureModel(const std::filesystem::path& folder) {
    const auto model = folder / "model.safetensors";
    std::filesystem::create_symlink(fixturesFolder() / "sd15-tiny" / "single_file.safetensors", model);
    std::ofstream(folder / "model.json") << R"({"text_encoder": {"num_attention_heads": 4}})";
    return model;
}

}  // namespace reelbrush::testing
