#pragma once

#include "kernels/plan/backend.h"
#include "kernels/tensor/dtype.h"
#include "kernels/tensor/tracer.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace reelbrush::kernels {

struct CudaOptions {
    int device = 0;                ///< counted from 0
    DType valueType = DType::F16;  ///< F16, BF16 or F32; sums are f32 always
    std::size_t vramBytes = 0;     ///< ceiling for weights and work space; 0: none
    /// Where measured algorithm choices are kept between runs, by device, driver and shape; empty: nowhere.
    std::filesystem::path algorithmCacheFile = {};
};

/// What a CUDA device is, for reports.
struct CudaDeviceInfo {
    std::string name;  ///< "NVIDIA H200"
    int computeMajor = 0, computeMinor = 0;
    int multiprocessors = 0;
    std::size_t memoryBytes = 0, freeBytes = 0;
    std::string libraries;  ///< "CUDA 13.0 (driver 13.0), cuDNN 9.19, cuBLAS 13.1"
};

/// What CUDA devices do, on its way into a trace. Ends when it dies.
class CudaTrace {
  public:
    virtual ~CudaTrace() = default;
    /// Writes what is told by now; otherwise that happens every so often.
    virtual void flush() = 0;
};

/// Opens the CUDA backend from its module, a shared library of its own, so that the program starts where there is no
/// driver, no cuDNN and no card. The module stays loaded.
/// Errors: Unsupported where the module, a library that it needs, the driver or a card is missing (named, with what to
/// do), BadInput for a device that is not there.
Result<std::unique_ptr<Backend>> openCudaBackend(const std::filesystem::path& module, const CudaOptions& options);

/// Errors: as openCudaBackend.
Result<CudaDeviceInfo> describeCudaDevice(const std::filesystem::path& module, int device);

/// Traces the kernels and copies of all CUDA devices, with the devices' own times, and the launches of graphs. To be
/// begun before the backend is opened that is to be seen; one at a time in a process. Costs speed.
/// Errors: as openCudaBackend; Unsupported where CUPTI is missing, or another trace runs.
Result<std::unique_ptr<CudaTrace>> traceCuda(const std::filesystem::path& module, std::shared_ptr<Tracer> tracer);

}  // namespace reelbrush::kernels
