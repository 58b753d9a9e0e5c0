#include "kernels/cuda/tensor_map.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace reelbrush::kernels {

namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, asked for through the runtime: the program does not link the driver.
Encode findEncode() {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    constexpr unsigned kSinceVersion = 12000;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, kSinceVersion, cudaEnableDefault, &result);
#else
    const cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
#endif
    if (error != cudaSuccess || result != cudaDriverEntryPointSuccess) return nullptr;
    return reinterpret_cast<Encode>(found);
}

}  // namespace

Result<CUtensorMap> mapOf(const TensorBoxes& boxes) {
    static const Encode encode = findEncode();
    if (!encode)
        return fail(StatusCode::Unsupported, "The NVIDIA driver cannot copy tiles of tensors: use a newer driver.");
    constexpr std::array<std::uint32_t, 4> kEveryElement{1, 1, 1, 1};
    CUtensorMap map;
    const CUresult result =
        encode(&map, boxes.type == DType::F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4,
               const_cast<void*>(boxes.address), boxes.extents.data(), boxes.strideBytes.data(), boxes.box.data(),
               kEveryElement.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        return fail(StatusCode::Unsupported, fmt::format("The NVIDIA driver takes no tensor of {} x {} x {} x {} for "
                                                         "copies of tiles (error {}).",
                                                         boxes.extents[0], boxes.extents[1], boxes.extents[2],
                                                         boxes.extents[3], static_cast<int>(result)));
    return map;
}

}  // namespace reelbrush::kernels
