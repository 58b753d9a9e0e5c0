#include "kernels/cuda_module/cuda_module.h"

#include "kernels/cuda_module/module_interface.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <utility>

namespace reelbrush::kernels {

namespace {

/// "libcudnn.so.9: cannot open shared object file: ..." names the library first.
std::string adviceFor(std::string_view loaderMessage) {
    if (loaderMessage.find("libcudnn") != loaderMessage.npos) return "install cuDNN 9 for CUDA 13";
    if (loaderMessage.find("libcublas") != loaderMessage.npos) return "install the CUDA 13 runtime libraries (cuBLAS)";
    return "install what it names";
}

/// Asked of the driver alone: the module's libraries take a hundred megabytes as soon as they are loaded.
Status findCard() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver)
        return fail(StatusCode::Unsupported,
                    "no NVIDIA driver is installed (libcuda.so.1); install it, or use --device cpu");
    const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
    int cards = 0;
    if (!init || !count || init(0) != 0 || count(&cards) != 0 || cards == 0)
        return fail(StatusCode::Unsupported,
                    "the NVIDIA driver finds no card that it can use ('nvidia-smi' tells why); use --device cpu");
    return {};
}

Result<const CudaModuleInterface*> load(const std::filesystem::path& module) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(module, ignored))
        return fail(StatusCode::Unsupported, "this program was built without its CUDA module");
    RB_TRY(findCard());
    void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const std::string message = dlerror();
        return fail(StatusCode::Unsupported,
                    fmt::format("the CUDA module cannot be loaded: {}; {}", message, adviceFor(message)));
    }
    using Entry = const CudaModuleInterface* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(handle, kCudaModuleEntry));
    const CudaModuleInterface* interface = entry ? entry() : nullptr;
    if (!interface || std::string_view(interface->build) != REELBRUSH_BUILD_NAME)
        return fail(StatusCode::Unsupported,
                    fmt::format("'{}' belongs to another build of this program; install both from one package",
                                module.string()));
    return interface;
}

}  // namespace

Result<std::unique_ptr<Backend>> openCudaBackend(const std::filesystem::path& module, const CudaOptions& options) {
    RB_ASSIGN(const CudaModuleInterface* interface, load(module));
    return interface->createBackend(options);
}

Result<CudaDeviceInfo> describeCudaDevice(const std::filesystem::path& module, int device) {
    RB_ASSIGN(const CudaModuleInterface* interface, load(module));
    return interface->describeDevice(device);
}

Result<std::unique_ptr<CudaTrace>> traceCuda(const std::filesystem::path& module, std::shared_ptr<Tracer> tracer) {
    RB_ASSIGN(const CudaModuleInterface* interface, load(module));
    return interface->startTrace(std::move(tracer));
}

}  // namespace reelbrush::kernels
