#include "tests/kernels/cuda/typed_weights.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace reelbrush::kernels {

namespace {

template <typename Stored>
void append(std::vector<std::byte>& bytes, Stored value) {
    const std::size_t place = bytes.size();
    bytes.resize(place + sizeof(value));
    std::memcpy(bytes.data() + place, &value, sizeof(value));
}

/// value: in [-1, 1).
void appendAs(DType type, float value, std::vector<std::byte>& bytes) {
    const auto sign = static_cast<std::uint8_t>(value < 0.0f ? 0x80 : 0);
    switch (type) {
        case DType::F64:
            return append(bytes, static_cast<double>(value) * 0.1);
        case DType::F32:
            return append(bytes, value * 0.1f);
        case DType::F16:
            return append(bytes, floatToHalf(value * 0.1f));
        case DType::BF16:
            return append(bytes, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value * 0.1f) >> 16));
        // Exponents from those of subnormals up to 1/8.
        case DType::F8E4M3:
            return append(bytes, static_cast<std::uint8_t>(sign | static_cast<int>(std::abs(value) * 0x20)));
        case DType::F8E5M2:
            return append(bytes, static_cast<std::uint8_t>(sign | static_cast<int>(std::abs(value) * 0x30)));
        case DType::I64:
            return append(bytes, static_cast<std::int64_t>(value * 4.0f));
        case DType::I32:
            return append(bytes, static_cast<std::int32_t>(value * 4.0f));
        case DType::I16:
            return append(bytes, static_cast<std::int16_t>(value * 4.0f));
        case DType::I8:
            return append(bytes, static_cast<std::int8_t>(value * 127.0f));
        case DType::U8:
            return append(bytes, static_cast<std::uint8_t>(std::abs(value) * 4.0f));
        case DType::Bool:
            return append(bytes, static_cast<std::uint8_t>(value < 0.0f ? 1 : 0));
    }
}

}  // namespace

void TypedWeights::add(const std::string& name, const Shape& shape, DType type, std::uint64_t seed) {
    Entry entry{shape, type, {}, {}};
    const TestTensor values = randomTensor(shape, seed);
    for (const float value : values.values) appendAs(type, value, entry.bytes);
    if (type == DType::I8)
        for (std::int64_t row = 0; row < shape[0]; ++row)
            entry.scales.push_back(floatToHalf(0.001f * static_cast<float>(1 + row % 7)));
    entries_[name] = std::move(entry);
}

Result<WeightView> TypedWeights::find(std::string_view name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end())
        return fail(StatusCode::BadInput, "The weight '" + std::string(name) + "' is missing.");
    const Entry& entry = found->second;
    return WeightView{entry.type, entry.shape, entry.bytes.data(),
                      entry.scales.empty() ? nullptr : entry.scales.data()};
}

}  // namespace reelbrush::kernels
