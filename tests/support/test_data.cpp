#include "tests/support/test_data.h"

#include "tests/support/unpack.h"

#include <xxhash.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace reelbrush::testing {

namespace {

namespace fs = std::filesystem;

std::string contentHash(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot open " + file.string());
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    return std::to_string(XXH3_64bits(bytes.data(), bytes.size()));
}

fs::path unpacked(const char* archiveName, const char* name, PackedAs packedAs) {
    const fs::path archive = fs::path(REELBRUSH_TEST_DATA_DIR) / archiveName;
    const fs::path target = fs::path(REELBRUSH_UNPACKED_DIR) / contentHash(archive) / name;
    if (!fs::exists(target)) unpack(archive, target, packedAs);
    return target;
}

}  // namespace

fs::path starterGolden() {
    return unpacked("starter/golden.safetensors.zst", "golden.safetensors", PackedAs::SingleFile);
}

fs::path fixturesFolder() {
    return unpacked("fixtures.tar.zst", "fixtures", PackedAs::TarArchive);
}

std::optional<fs::path> sharedFolder() {
    const char* named = std::getenv("REELBRUSH_FIXTURES");
    const fs::path folder = named && *named ? fs::path(named) : fs::path(REELBRUSH_SOURCE_DIR) / ".." / "shared";
    std::error_code ignored;
    if (!fs::is_directory(folder / "fixtures", ignored)) return std::nullopt;
    return fs::canonical(folder);
}

ScratchFolder::ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "reelbrush-test-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot create a folder like " + pattern);
    path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace reelbrush::testing
