#include "engine/media/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace reelbrush::media {

namespace {

constexpr const char* kDriver = "libcuda.so.1";
constexpr int kOutOfMemory = 2;             // CUDA_ERROR_OUT_OF_MEMORY
constexpr unsigned kNonBlockingStream = 1;  // CU_STREAM_NON_BLOCKING

}  // namespace

std::shared_ptr<DriverLibrary> DriverLibrary::open(const char* name) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return handle ? std::make_shared<DriverLibrary>(handle) : nullptr;
}

DriverLibrary::~DriverLibrary() {
    dlclose(handle_);
}

void* DriverLibrary::symbol(const char* name) const {
    return dlsym(handle_, name);
}

bool hasCudaDriver() {
    return DriverLibrary::open(kDriver) != nullptr;
}

bool CudaPrimaryContext::findFunctions() {
    return driver_->find(init_, "cuInit") && driver_->find(deviceCount_, "cuDeviceGetCount") &&
           driver_->find(deviceOf_, "cuDeviceGet") && driver_->find(retain_, "cuDevicePrimaryCtxRetain") &&
           driver_->find(release_, "cuDevicePrimaryCtxRelease_v2") && driver_->find(push_, "cuCtxPushCurrent_v2") &&
           driver_->find(pop_, "cuCtxPopCurrent_v2") && driver_->find(createStream_, "cuStreamCreate") &&
           driver_->find(destroyStream_, "cuStreamDestroy_v2");
}

Result<std::shared_ptr<CudaPrimaryContext>> CudaPrimaryContext::open(int device) {
    std::shared_ptr<CudaPrimaryContext> opened(new CudaPrimaryContext());
    opened->driver_ = DriverLibrary::open(kDriver);
    if (!opened->driver_) return fail(StatusCode::Unsupported, "there is no NVIDIA driver (libcuda.so.1)");
    if (!opened->findFunctions())
        return fail(StatusCode::Unsupported, "the NVIDIA driver is too old; install version 525 or later");
    int count = 0;
    if (opened->init_(0) != 0 || opened->deviceCount_(&count) != 0 || count == 0)
        return fail(StatusCode::Unsupported, "the NVIDIA driver finds no card that it can use; nvidia-smi tells why");
    if (device < 0 || device >= count)
        return fail(StatusCode::Unsupported, fmt::format("there is no card cuda:{}, only {}", device, count));
    int code = opened->deviceOf_(&opened->device_, device);
    if (code == 0) code = opened->retain_(&opened->context_, opened->device_);
    if (code == kOutOfMemory) return fail(StatusCode::OutOfMemory, fmt::format("cuda:{} has no memory left", device));
    if (code != 0)
        return fail(StatusCode::Unsupported, fmt::format("cuda:{} cannot be opened (CUDA error {})", device, code));
    return opened;
}

CudaPrimaryContext::~CudaPrimaryContext() {
    if (!context_) return;
    if (stream_) {
        const Current current(*this);
        destroyStream_(stream_);
    }
    release_(device_);
}

CUstream_st* CudaPrimaryContext::makeStream() {
    const Current current(*this);
    if (!stream_ && (!current.isSet() || createStream_(&stream_, kNonBlockingStream) != 0)) stream_ = nullptr;
    return stream_;
}

CudaPrimaryContext::Current::Current(const CudaPrimaryContext& owner)
    : owner_(owner), isSet_(owner.push_(owner.context_) == 0) {}

CudaPrimaryContext::Current::~Current() {
    CUctx_st* ignored = nullptr;
    if (isSet_) owner_.pop_(&ignored);
}

}  // namespace reelbrush::media
