#include "engine/core/xdg_folders.h"
#include "engine/session/machine_report.h"
#include "kernels/cuda_module/cuda_module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <system_error>

/// Drivers are opened at run time and asked through the few functions needed: the program starts without any of them.
namespace reelbrush::session {

namespace {

namespace fs = std::filesystem;

using Library = std::unique_ptr<void, int (*)(void*)>;

/// Closed again only after the last question; null where it is not installed.
Library openLibrary(const char* name) {
    return {dlopen(name, RTLD_NOW | RTLD_LOCAL), [](void* handle) { return handle ? dlclose(handle) : 0; }};
}

template <typename Function>
Function* functionOf(const Library& library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library.get(), name));
}

std::string wordIn(const fs::path& file) {
    std::ifstream stream(file);
    std::string word;
    stream >> word;
    return word;
}

bool hasNvidiaCard() {
    std::error_code error;
    for (fs::directory_iterator entry("/sys/bus/pci/devices", error), end; !error && entry != end;
         entry.increment(error))
        if (wordIn(entry->path() / "vendor") == "0x10de" && wordIn(entry->path() / "class").starts_with("0x03"))
            return true;
    return false;
}

/// CUDA's driver interface: plain C, results 0 for success.
MachineFinding examineCuda() {
    constexpr const char* kArea = "graphics card";
    const Library driver = openLibrary("libcuda.so.1");
    if (!driver) {
        if (hasNvidiaCard())
            return {kArea, FindingKind::Missing, "an NVIDIA card without its driver", "apt-get install nvidia-driver"};
        return {kArea, FindingKind::Note, "no NVIDIA card and no CUDA driver: painting uses the processor", ""};
    }
    const auto init = functionOf<int(unsigned)>(driver, "cuInit");
    const auto version = functionOf<int(int*)>(driver, "cuDriverGetVersion");
    const auto count = functionOf<int(int*)>(driver, "cuDeviceGetCount");
    int cards = 0, number = 0;
    if (!init || !version || !count || init(0) != 0 || count(&cards) != 0 || cards == 0)
        return {kArea, FindingKind::Note, "a CUDA driver, but no card that it can use", "nvidia-smi tells why"};
    version(&number);
    const std::string driverText = fmt::format("driver for CUDA {}.{}", number / 1000, number % 1000 / 10);
    std::vector<std::string> usable;
    for (int card = 0; card < cards; ++card) {
        const auto info = kernels::describeCudaDevice(cudaModuleFile(), card);
        if (!info)
            return {kArea, FindingKind::Missing, fmt::format("{} card(s), {}, not used", cards, driverText),
                    info.error().message};
        usable.push_back(fmt::format("cuda:{} {} (compute {}.{}, {:.1f} of {:.1f} GiB free), {}", card, info->name,
                                     info->computeMajor, info->computeMinor,
                                     static_cast<double>(info->freeBytes) / 0x1p30,
                                     static_cast<double>(info->memoryBytes) / 0x1p30, info->libraries));
    }
    return {kArea, FindingKind::Good, fmt::format("{}", fmt::join(usable, "; ")), ""};
}

/// Names of the drivers that the Vulkan loader would find.
std::set<std::string> vulkanDrivers() {
    std::set<std::string> names;
    for (const char* folder : {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"}) {
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
            if (entry->path().extension() == ".json") names.insert(entry->path().stem().string());
    }
    return names;
}

MachineFinding examineVulkan() {
    constexpr const char* kArea = "Vulkan";
    constexpr const char* kInstall = "apt-get install libvulkan1 mesa-vulkan-drivers";
    const Library loader = openLibrary("libvulkan.so.1");
    if (!loader) return {kArea, FindingKind::Note, "not installed; only the window's viewport uses it", kInstall};
    const std::set<std::string> drivers = vulkanDrivers();
    if (drivers.empty()) return {kArea, FindingKind::Note, "no driver; only the window's viewport uses it", kInstall};
    std::uint32_t version = 1U << 22U;  // loaders of Vulkan 1.0 have no such function
    if (const auto ask = functionOf<int(std::uint32_t*)>(loader, "vkEnumerateInstanceVersion")) ask(&version);
    return {kArea, FindingKind::Good,
            fmt::format("{}.{}.{}, drivers: {}", version >> 22U, (version >> 12U) & 0x3FFU, version & 0xFFFU,
                        fmt::join(drivers, ", ")),
            ""};
}

}  // namespace

std::vector<MachineFinding> examineGraphics() {
    return {examineCuda(), examineVulkan()};
}

}  // namespace reelbrush::session
