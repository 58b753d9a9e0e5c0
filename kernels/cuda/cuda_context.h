#pragma once

#include "kernels/cuda/cuda_memory.h"
#include "kernels/cuda/staged_upload.h"
#include "kernels/cuda/weight_residency.h"
#include "kernels/plan/algorithm_cache.h"
#include "kernels/tensor/dtype.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <filesystem>
#include <memory>

namespace reelbrush::kernels {

class ConvolutionPlans;

/// What all steps of one CUDA backend share. Must outlive them.
struct CudaContext {
    /// Opens the device. Errors: Unsupported (no driver, no such device, too old a card), OutOfMemory, Internal.
    /// budget: of the card's memory. pinnedBudget: of the host's memory that the card reaches. Both may be null.
    static Result<std::unique_ptr<CudaContext>> create(int device, DType valueType,
                                                       std::shared_ptr<MemoryBudget> budget,
                                                       std::shared_ptr<MemoryBudget> pinnedBudget = nullptr);
    ~CudaContext();
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    Result<std::unique_ptr<CudaMemory>> allocate(std::size_t bytes, const char* purpose) const {
        return CudaMemory::allocate(bytes, budget, purpose);
    }

    /// Keeps measured choices in a file from here on.
    void keepAlgorithmsIn(std::filesystem::path file);

    int device = 0;
    DType valueType = DType::F16;  ///< F16, BF16 or F32
    cudaDeviceProp properties{};
    cudaStream_t stream = nullptr;  ///< all work of the backend, in order
    cudnnHandle_t cudnn = nullptr;
    cublasLtHandle_t cublasLt = nullptr;
    std::shared_ptr<MemoryBudget> budget, pinnedBudget;
    std::filesystem::path algorithmCacheFile;        ///< measured choices; empty: none are kept
    std::unique_ptr<AlgorithmCache> algorithms;      ///< measured choices, of this card and these libraries
    std::unique_ptr<ConvolutionPlans> convolutions;  ///< shared by layers that are alike
    std::unique_ptr<StagedUpload> upload;            ///< how weights get here
    std::unique_ptr<WeightResidency> residency;      ///< and where they are kept

  private:
    CudaContext() = default;
};

}  // namespace reelbrush::kernels
