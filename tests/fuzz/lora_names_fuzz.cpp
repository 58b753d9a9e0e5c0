// Feeds arbitrary names and shapes to everything that reads LoRAs; see checkLoraNames.

#include "tests/fuzz/lora_names_check.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    reelbrush::testing::checkLoraNames({reinterpret_cast<const char*>(data), size});
    return 0;
}
