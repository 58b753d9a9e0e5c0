#include "engine/diffusion/painter_backend.h"

#include "engine/core/xdg_folders.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cuda_module/cuda_module.h"

#include <fmt/format.h>

#include <utility>

namespace reelbrush::diffusion {

namespace {

using kernels::Backend;
using kernels::Precision;

std::unique_ptr<Backend> openCpu(const PainterOptions& options) {
    kernels::CpuOptions cpu;
    cpu.threads = options.threads;
    cpu.precision = options.precision;
    cpu.algorithmCacheFile = options.algorithmCacheFile;
    return std::make_unique<kernels::CpuBackend>(std::move(cpu));
}

Result<std::unique_ptr<Backend>> openCuda(const PainterOptions& options) {
    if (options.precision == Precision::Int8)
        return fail(StatusCode::BadInput, "int8 is not computed on GPUs; choose another precision or --device cpu");
    kernels::CudaOptions cuda;
    cuda.device = options.device.index;
    cuda.valueType = options.precision == Precision::Float32 ? kernels::DType::F32 : kernels::DType::F16;
    cuda.vramBytes = options.vramBytes;
    cuda.algorithmCacheFile = options.algorithmCacheFile;
    return kernels::openCudaBackend(cudaModuleFile(), cuda);
}

}  // namespace

Result<std::unique_ptr<Backend>> openPainterBackend(const PainterOptions& options) {
    using Kind = ComputeDevice::Kind;
    if (options.device.kind == Kind::Cpu) return openCpu(options);
    const bool isChoice = options.device.kind == Kind::Auto;
    if (isChoice && options.precision == Precision::Int8) return openCpu(options);
    auto cuda = openCuda(options);
    if (cuda || !isChoice) {
        if (!cuda) cuda.error().message = fmt::format("painting on the GPU: {}", cuda.error().message);
        return cuda;
    }
    return openCpu(options);
}

bool wouldPaintOnGpu(const PainterOptions& options) {
    using Kind = ComputeDevice::Kind;
    if (options.device.kind == Kind::Cpu) return false;
    if (options.device.kind == Kind::Auto && options.precision == Precision::Int8) return false;
    return kernels::describeCudaDevice(cudaModuleFile(), options.device.index).has_value();
}

}  // namespace reelbrush::diffusion
