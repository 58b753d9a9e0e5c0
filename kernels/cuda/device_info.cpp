#include "kernels/cuda/device_info.h"

#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/cuda_status.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

namespace {

/// As the CUDA runtime counts: 13000 is 13.0.
std::string versionText(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

Result<CudaDeviceInfo> describeDevice(int device) {
    RB_ASSIGN(const auto context, CudaContext::create(device, DType::F16, nullptr));
    CudaDeviceInfo info;
    info.name = context->properties.name;
    info.computeMajor = context->properties.major;
    info.computeMinor = context->properties.minor;
    info.multiprocessors = context->properties.multiProcessorCount;
    RB_TRY(cudaStatus(cudaMemGetInfo(&info.freeBytes, &info.memoryBytes), "asking for the GPU's memory"));
    int driver = 0, runtime = 0;
    RB_TRY(cudaStatus(cudaDriverGetVersion(&driver), "asking for the driver's version"));
    RB_TRY(cudaStatus(cudaRuntimeGetVersion(&runtime), "asking for CUDA's version"));
    const std::size_t cudnn = cudnnGetVersion(), cublas = cublasLtGetVersion();
    info.libraries = fmt::format("CUDA {} (driver {}), cuDNN {}.{}.{}, cuBLAS {}.{}.{}", versionText(runtime),
                                 versionText(driver), cudnn / 10000, cudnn % 10000 / 100, cudnn % 100, cublas / 10000,
                                 cublas % 10000 / 100, cublas % 100);
    return info;
}

}  // namespace reelbrush::kernels
