// Feeds arbitrary bytes to the reader of safetensors headers, and what it accepts to the readers of names and metadata.
// What the header reader promises about files that it accepts is checked, not only that nothing crashes.

#include "engine/weights/base_model.h"
#include "engine/weights/lora_alpha.h"
#include "engine/weights/lora_family.h"
#include "engine/weights/quoted_name.h"
#include "engine/weights/safetensors_header.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

namespace weights = reelbrush::weights;

void require(bool holds) {
    if (!holds) std::abort();
}

void checkTensors(const weights::SafetensorsHeader& header, std::size_t fileBytes) {
    std::uint64_t dataBytes = 0;
    for (const weights::TensorInfo& tensor : header.tensors) {
        require(tensor.offsetBytes >= 8 && tensor.offsetBytes <= fileBytes);
        require(tensor.sizeBytes <= fileBytes - tensor.offsetBytes);
        require(tensor.shape.size() <= weights::kMaxStoredRank);
        std::int64_t elements = 1;
        for (std::int64_t dim : tensor.shape) require(!__builtin_mul_overflow(elements, dim, &elements));
        require(elements == tensor.elements());
        dataBytes += tensor.sizeBytes;
    }
    require(dataBytes <= fileBytes);
    require(std::ranges::adjacent_find(header.tensors, std::ranges::greater_equal{}, &weights::TensorInfo::name) ==
            header.tensors.end());
}

void readNamesAndMetadata(const weights::SafetensorsHeader& header) {
    const auto alphas = weights::LoraAlphas::fromMetadata(header.metadata, "'fuzzed'");
    weights::loraFamilyOf(header.tensors);
    weights::baseModelOfLora(header.metadata, header.tensors);
    for (const weights::TensorInfo& tensor : header.tensors) {
        require(weights::quotedName(tensor.name).size() <= 4 * 120 + 5);
        if (!alphas) continue;
        if (const auto alpha = alphas->alphaOf("unet", tensor.name)) alphas->factor("unet", *alpha, 4);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto header = weights::parseSafetensorsHeader(bytes, "'fuzzed'");
    if (!header) {
        require(!header.error().message.empty());
        return 0;
    }
    checkTensors(*header, size);
    readNamesAndMetadata(*header);
    return 0;
}
