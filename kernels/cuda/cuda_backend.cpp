#include "kernels/cuda/cuda_backend.h"

#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/cuda_ops.h"

namespace reelbrush::kernels {

struct CudaBackend::Impl {
    explicit Impl(std::unique_ptr<CudaContext> opened) : context(std::move(opened)), device(*context) {}

    std::unique_ptr<CudaContext> context;
    CudaDevice device;
};

CudaBackend::CudaBackend() = default;
CudaBackend::~CudaBackend() = default;

Result<std::unique_ptr<CudaBackend>> CudaBackend::create(const CudaOptions& options) {
    const bool isKnown =
        options.valueType == DType::F16 || options.valueType == DType::BF16 || options.valueType == DType::F32;
    RB_ENSURE(isKnown, "CUDA computes in F16, BF16 or F32");
    RB_ASSIGN(auto context, CudaContext::create(options.device, options.valueType,
                                                std::make_shared<MemoryBudget>(options.vramBytes)));
    context->keepAlgorithmsIn(options.algorithmCacheFile);
    std::unique_ptr<CudaBackend> backend(new CudaBackend());
    backend->impl_ = std::make_unique<Impl>(std::move(context));
    return backend;
}

Result<std::unique_ptr<Step>> CudaBackend::prepare(const StepRequest& request) {
    return makeCudaStep(request, *impl_->context);
}

void CudaBackend::enter() {
    cudaSetDevice(impl_->context->device);
}

std::string CudaBackend::name() const {
    return impl_->context->properties.name;
}

Device* CudaBackend::device() {
    return &impl_->device;
}

Result<std::unique_ptr<DeviceMemory>> CudaBackend::allocateArena(std::size_t bytes) {
    enter();
    return impl_->context->allocate(bytes, "the work space on the GPU");
}

}  // namespace reelbrush::kernels
