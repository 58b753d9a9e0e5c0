#include "kernels/plan/weight_provider.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace reelbrush::kernels {

namespace {

template <typename Stored, typename Convert>
void convertAll(const void* data, std::int64_t count, float* out, Convert convert) {
    const auto* stored = static_cast<const Stored*>(data);
    for (std::int64_t i = 0; i < count; ++i) out[i] = convert(stored[i]);
}

/// As halfToFloat, but without a branch, so that the loop over a model's values is vectorised: all magnitudes but
/// infinity and NaN are right once the exponent's bias is put right by a product, subnormals among them.
float halfToFloatInLoop(std::uint16_t bits) {
    const std::uint32_t magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) * 0x10000u;
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

template <typename Convert>
void convertBytes(const void* data, std::int64_t count, float* out, Convert convert) {
    std::array<float, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = convert(static_cast<std::uint8_t>(i));
    convertAll<std::uint8_t>(data, count, out, [&](std::uint8_t byte) { return values[byte]; });
}

}  // namespace

void WeightView::toFloat(float* out) const {
    const std::int64_t count = shape.elements();
    switch (dtype) {
        case DType::F32:
            std::memcpy(out, data, static_cast<std::size_t>(count) * sizeof(float));
            break;
        case DType::F16:
            convertAll<std::uint16_t>(data, count, out, halfToFloatInLoop);
            break;
        case DType::BF16:
            convertAll<std::uint16_t>(data, count, out, [](std::uint16_t bits) {
                return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
            });
            break;
        case DType::F8E4M3:
            convertBytes(data, count, out, float8E4M3ToFloat);
            break;
        case DType::F8E5M2:
            convertBytes(data, count, out, float8E5M2ToFloat);
            break;
        case DType::F64:
            convertAll<double>(data, count, out, [](double v) { return static_cast<float>(v); });
            break;
        case DType::I64:
            convertAll<std::int64_t>(data, count, out, [](std::int64_t v) { return static_cast<float>(v); });
            break;
        case DType::I32:
            convertAll<std::int32_t>(data, count, out, [](std::int32_t v) { return static_cast<float>(v); });
            break;
        case DType::I16:
            convertAll<std::int16_t>(data, count, out, [](std::int16_t v) { return static_cast<float>(v); });
            break;
        case DType::U8:
        case DType::Bool:
            convertAll<std::uint8_t>(data, count, out, [](std::uint8_t v) { return static_cast<float>(v); });
            break;
        case DType::I8: {
            const auto* stored = static_cast<const std::int8_t*>(data);
            const std::int64_t outer = rowScales ? shape[0] : 1;
            const std::int64_t inner = outer == 0 ? 0 : count / outer;
            for (std::int64_t o = 0; o < outer; ++o) {
                const float scale = rowScales ? halfToFloat(rowScales[o]) : 1.0f;
                for (std::int64_t i = 0; i < inner; ++i)
                    out[o * inner + i] = static_cast<float>(stored[o * inner + i]) * scale;
            }
            break;
        }
    }
}

}  // namespace reelbrush::kernels
