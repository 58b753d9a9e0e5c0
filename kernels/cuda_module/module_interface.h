#pragma once

#include "kernels/cuda_module/cuda_module.h"

namespace reelbrush::kernels {

/// What the module gives to the program that loads it. Both are built together: `build` tells whether they were.
struct CudaModuleInterface {
    const char* build;
    Result<std::unique_ptr<Backend>> (*createBackend)(const CudaOptions& options);
    Result<CudaDeviceInfo> (*describeDevice)(int device);
    Result<std::unique_ptr<CudaTrace>> (*startTrace)(std::shared_ptr<Tracer> tracer);
};

/// The module's one exported function, of type `const CudaModuleInterface*()`.
inline constexpr const char* kCudaModuleEntry = "reelbrushCudaModule";

}  // namespace reelbrush::kernels
