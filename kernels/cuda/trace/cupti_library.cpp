#include "kernels/cuda/trace/cupti_library.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>

namespace reelbrush::kernels {

namespace {

/// Where the loader looks, beside the CUDA libraries that are in use, and where toolkits put it.
void* openLibrary() {
    const std::string name = fmt::format("libcupti.so.{}", CUDART_VERSION / 1000);
    std::filesystem::path libraries;
    if (Dl_info info{}; dladdr(reinterpret_cast<void*>(&cublasLtGetVersion), &info) != 0 && info.dli_fname)
        libraries = std::filesystem::path(info.dli_fname).parent_path();
    const std::array<std::filesystem::path, 4> places = {
        name, libraries / name, libraries / "../extras/CUPTI/lib64" / name,
        std::filesystem::path("/usr/local/cuda/extras/CUPTI/lib64") / name};
    for (const std::filesystem::path& place : places)
        if (void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    return nullptr;
}

}  // namespace

Result<CuptiLibrary> CuptiLibrary::open() {
    void* handle = openLibrary();
    if (!handle)
        return fail(StatusCode::Unsupported,
                    fmt::format("the trace tells nothing of the GPU: CUPTI (libcupti.so.{}) is not installed; it comes "
                                "with the CUDA toolkit",
                                CUDART_VERSION / 1000));
    CuptiLibrary library;
    const char* missing = nullptr;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        if (!function) missing = name;
    };
    find(library.registerCallbacks, "cuptiActivityRegisterCallbacks");
    find(library.registerTimestamp, "cuptiActivityRegisterTimestampCallback");
    find(library.enable, "cuptiActivityEnable");
    find(library.disable, "cuptiActivityDisable");
    find(library.flushAll, "cuptiActivityFlushAll");
    find(library.flushPeriod, "cuptiActivityFlushPeriod");
    find(library.nextRecord, "cuptiActivityGetNextRecord");
    find(library.droppedRecords, "cuptiActivityGetNumDroppedRecords");
    find(library.resultString, "cuptiGetResultString");
    if (missing)
        return fail(StatusCode::Unsupported,
                    fmt::format("the trace tells nothing of the GPU: CUPTI lacks {}; install that of CUDA {}", missing,
                                CUDART_VERSION / 1000));
    return library;
}

Status CuptiLibrary::check(CUptiResult result, const char* doing) const {
    if (result == CUPTI_SUCCESS) return {};
    const char* text = nullptr;
    resultString(result, &text);
    return fail(StatusCode::Unsupported, fmt::format("{}: {}", doing, text ? text : "CUPTI failed"));
}

}  // namespace reelbrush::kernels
