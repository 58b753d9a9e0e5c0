#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/device_info.h"
#include "kernels/cuda/trace/activity_trace.h"
#include "kernels/cuda_module/module_interface.h"

namespace {

using namespace reelbrush;
using namespace reelbrush::kernels;

Result<std::unique_ptr<Backend>> createBackend(const CudaOptions& options) {
    RB_ASSIGN(std::unique_ptr<Backend> backend, CudaBackend::create(options));
    return backend;
}

const CudaModuleInterface kInterface{REELBRUSH_BUILD_NAME, createBackend, describeDevice, startActivityTrace};

}  // namespace

extern "C" __attribute__((visibility("default"))) const reelbrush::kernels::CudaModuleInterface* reelbrushCudaModule() {
    return &kInterface;
}
