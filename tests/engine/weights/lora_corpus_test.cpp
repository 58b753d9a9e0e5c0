#include "tests/fuzz/lora_names_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace reelbrush::weights {

namespace {

/// The seeds of the fuzzer, and what it once found.
TEST(LoraCorpus, KeepsEveryPromise) {
    std::size_t seeds = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(REELBRUSH_SOURCE_DIR "/tests/fuzz/corpus/lora_names")) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        EXPECT_NO_THROW(testing::checkLoraNames(text)) << entry.path();
        ++seeds;
    }
    EXPECT_GE(seeds, 9u);
}

}  // namespace

}  // namespace reelbrush::weights
