#include "kernels/cuda/cuda_context.h"

#include "kernels/cuda/convolution_plans.h"
#include "kernels/cuda/cuda_status.h"

#include <fmt/format.h>

#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr int kOldestMajor = 8;  // Ampere: bf16 and asynchronous copies

Status openDevice(CudaContext& context) {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0)
        return fail(StatusCode::Unsupported,
                    fmt::format("no CUDA device can be used: {}",
                                error == cudaSuccess ? "none is present" : cudaGetErrorString(error)));
    if (context.device < 0 || context.device >= count)
        return fail(StatusCode::BadInput, fmt::format("there is no CUDA device {}; this machine has {}, counted from 0",
                                                      context.device, count));
    RB_TRY(cudaStatus(cudaSetDevice(context.device), "choosing the CUDA device"));
    RB_TRY(cudaStatus(cudaGetDeviceProperties(&context.properties, context.device), "asking the CUDA device"));
    if (context.properties.major < kOldestMajor)
        return fail(
            StatusCode::Unsupported,
            fmt::format("{} (compute capability {}.{}) is too old: {}.0 or newer is needed", context.properties.name,
                        context.properties.major, context.properties.minor, kOldestMajor));
    return cudaStatus(cudaStreamCreateWithFlags(&context.stream, cudaStreamNonBlocking), "making a CUDA stream");
}

/// Everything but the layer that decides which algorithm is fastest, or what its name means.
std::string machineOf(const CudaContext& context) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    return fmt::format("{} sm_{}{} x{} driver {} cublasLt {} cudnn {}", context.properties.name,
                       context.properties.major, context.properties.minor, context.properties.multiProcessorCount,
                       driver, cublasLtGetVersion(), cudnnGetVersion());
}

}  // namespace

Result<std::unique_ptr<CudaContext>> CudaContext::create(int device, DType valueType,
                                                         std::shared_ptr<MemoryBudget> budget,
                                                         std::shared_ptr<MemoryBudget> pinnedBudget) {
    std::unique_ptr<CudaContext> context(new CudaContext());
    context->device = device;
    context->valueType = valueType;
    context->budget = std::move(budget);
    context->pinnedBudget = std::move(pinnedBudget);
    RB_TRY(openDevice(*context));
    if (const cudnnStatus_t status = cudnnCreate(&context->cudnn); status != CUDNN_STATUS_SUCCESS)
        return fail(StatusCode::Unsupported, fmt::format("cuDNN cannot be used: {}", cudnnGetErrorString(status)));
    if (cudnnSetStream(context->cudnn, context->stream) != CUDNN_STATUS_SUCCESS)
        return fail(StatusCode::Internal, "cuDNN does not take the stream");
    if (const cublasStatus_t status = cublasLtCreate(&context->cublasLt); status != CUBLAS_STATUS_SUCCESS)
        return fail(StatusCode::Unsupported, fmt::format("cuBLAS cannot be used: {}", cublasLtGetStatusString(status)));
    RB_ASSIGN(context->upload, StagedUpload::create(context->stream, context->pinnedBudget));
    context->residency = std::make_unique<WeightResidency>(context->stream, context->budget);
    context->convolutions = std::make_unique<ConvolutionPlans>();
    context->keepAlgorithmsIn({});
    return context;
}

void CudaContext::keepAlgorithmsIn(std::filesystem::path file) {
    algorithmCacheFile = std::move(file);
    algorithms = std::make_unique<AlgorithmCache>(algorithmCacheFile, machineOf(*this));
}

CudaContext::~CudaContext() {
    convolutions.reset();
    upload.reset();
    if (cublasLt) cublasLtDestroy(cublasLt);
    if (cudnn) cudnnDestroy(cudnn);
    if (stream) cudaStreamDestroy(stream);
}

}  // namespace reelbrush::kernels
