#include "tests/kernels/support/memory_weights.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::kernels {

void MemoryWeights::add(const std::string& name, const TestTensor& tensor) {
    entries_[name] = Entry{tensor.shape, tensor.values, {}, {}};
}

void MemoryWeights::addInt8(const std::string& name, const TestTensor& tensor) {
    Entry entry{tensor.shape, {}, {}, {}};
    const std::int64_t rows = tensor.shape[0], width = tensor.shape.elements() / rows;
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* values = tensor.values.data() + row * width;
        float highest = 0.0f;
        for (std::int64_t i = 0; i < width; ++i) highest = std::max(highest, std::abs(values[i]));
        // Never below the smallest half, so that a row of zeros divides well.
        const std::uint16_t bits = floatToHalf(std::max(highest / 127.0f, 6e-8f));
        entry.scales.push_back(bits);
        for (std::int64_t i = 0; i < width; ++i)
            entry.bytes.push_back(
                static_cast<std::int8_t>(std::clamp(std::nearbyint(values[i] / halfToFloat(bits)), -127.0f, 127.0f)));
    }
    entries_[name] = std::move(entry);
}

Result<WeightView> MemoryWeights::find(std::string_view name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end())
        return fail(StatusCode::BadInput, "The weight '" + std::string(name) + "' is missing.");
    const Entry& entry = found->second;
    if (entry.bytes.empty()) return WeightView{DType::F32, entry.shape, entry.floats.data(), nullptr};
    return WeightView{DType::I8, entry.shape, entry.bytes.data(), entry.scales.data()};
}

bool MemoryWeights::contains(std::string_view name) const {
    return entries_.find(name) != entries_.end();
}

}  // namespace reelbrush::kernels
