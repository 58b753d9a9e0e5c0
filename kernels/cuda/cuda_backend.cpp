#include "kernels/cuda/cuda_backend.h"

#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/cuda_ops.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/streamed_weight.h"

#include <vector>

namespace reelbrush::kernels {

struct CudaBackend::Impl {
    explicit Impl(std::unique_ptr<CudaContext> opened) : context(std::move(opened)), device(*context) {}

    CudaOptions options;
    std::unique_ptr<CudaContext> context;
    std::unique_ptr<CudaBackend> wider;  ///< in f32, once it was asked for
    CudaDevice device;
};

CudaBackend::CudaBackend() = default;
CudaBackend::~CudaBackend() = default;

Result<std::unique_ptr<CudaBackend>> CudaBackend::create(const CudaOptions& options) {
    const bool isKnown =
        options.valueType == DType::F16 || options.valueType == DType::BF16 || options.valueType == DType::F32;
    RB_ENSURE(isKnown, "CUDA computes in F16, BF16 or F32");
    return open(options, std::make_shared<MemoryBudget>(options.vramBytes), std::make_shared<MemoryBudget>());
}

Result<std::unique_ptr<CudaBackend>> CudaBackend::open(const CudaOptions& options, std::shared_ptr<MemoryBudget> budget,
                                                       std::shared_ptr<MemoryBudget> pinnedBudget) {
    RB_ASSIGN(auto context,
              CudaContext::create(options.device, options.valueType, std::move(budget), std::move(pinnedBudget)));
    context->keepAlgorithmsIn(options.algorithmCacheFile);
    std::unique_ptr<CudaBackend> backend(new CudaBackend());
    backend->impl_ = std::make_unique<Impl>(std::move(context));
    backend->impl_->options = options;
    return backend;
}

Result<std::unique_ptr<Step>> CudaBackend::prepare(const StepRequest& request) {
    return makeCudaStep(request, *impl_->context);
}

void CudaBackend::keepWeights(const WeightPlacement& placement) {
    impl_->context->residency->keep(placement);
    if (impl_->wider) impl_->wider->keepWeights(placement);
}

Status CudaBackend::arrange(std::span<Step* const> steps) {
    std::vector<StreamedWeight*> streamed;
    for (Step* step : steps)
        if (const auto* ours = dynamic_cast<CudaStep*>(step); ours && ours->streamed())
            streamed.push_back(ours->streamed());
    StreamedWeight::arrange(streamed);
    return {};
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

Result<Backend*> CudaBackend::wider() {
    if (impl_->options.valueType == DType::F32) return nullptr;
    if (!impl_->wider) {
        CudaOptions options = impl_->options;
        options.valueType = DType::F32;
        RB_ASSIGN(impl_->wider, open(options, impl_->context->budget, impl_->context->pinnedBudget));
        impl_->wider->keepWeights(impl_->context->residency->placement());
    }
    return impl_->wider.get();
}

Result<std::unique_ptr<DeviceMemory>> CudaBackend::allocateArena(std::size_t bytes) {
    enter();
    return impl_->context->allocate(bytes, "the work space on the GPU");
}

std::shared_ptr<MemoryBudget> CudaBackend::memory() const {
    return impl_->context->budget;
}

std::shared_ptr<MemoryBudget> CudaBackend::sharedMemory() const {
    return impl_->context->pinnedBudget;
}

}  // namespace reelbrush::kernels
