#include "kernels/plan/weight_provider.h"

#include <cstdint>
#include <cstring>

namespace reelbrush::kernels {

namespace {

template <typename Stored, typename Convert>
void convertAll(const void* data, std::int64_t count, float* out, Convert convert) {
    const auto* stored = static_cast<const Stored*>(data);
    for (std::int64_t i = 0; i < count; ++i) out[i] = convert(stored[i]);
}

}  // namespace

void WeightView::toFloat(float* out) const {
    const std::int64_t count = shape.elements();
    switch (dtype) {
        case DType::F32:
            std::memcpy(out, data, static_cast<std::size_t>(count) * sizeof(float));
            break;
        case DType::F16:
            convertAll<std::uint16_t>(data, count, out, halfToFloat);
            break;
        case DType::BF16:
            convertAll<std::uint16_t>(data, count, out, bfloat16ToFloat);
            break;
        case DType::F8E4M3:
            convertAll<std::uint8_t>(data, count, out, float8E4M3ToFloat);
            break;
        case DType::F8E5M2:
            convertAll<std::uint8_t>(data, count, out, float8E5M2ToFloat);
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
