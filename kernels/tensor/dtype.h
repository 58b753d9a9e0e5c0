#pragma once

#include <cstddef>
#include <cstdint>

namespace reelbrush::kernels {

/// Element types that weights are stored in and tensors are computed in.
enum class DType : std::uint8_t { F64, F32, F16, BF16, F8E4M3, F8E5M2, I64, I32, I16, I8, U8, Bool };

std::size_t sizeOf(DType type);
/// Name as safetensors spells it: "F32", "F8_E4M3".
const char* nameOf(DType type);

/// IEEE half to float, exact.
float halfToFloat(std::uint16_t bits);
/// Float to IEEE half, round to nearest even; overflow becomes infinity.
std::uint16_t floatToHalf(float value);
/// bfloat16 to float, exact.
float bfloat16ToFloat(std::uint16_t bits);
/// OCP FP8 to float, exact. E4M3 is the "fn" form: no infinity, 0x7f and 0xff are NaN.
float float8E4M3ToFloat(std::uint8_t bits);
float float8E5M2ToFloat(std::uint8_t bits);

}  // namespace reelbrush::kernels
