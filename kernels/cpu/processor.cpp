#include "kernels/cpu/processor.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/simd_limit.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace reelbrush::kernels {

namespace {

bool contains(dnnl::cpu_isa set, dnnl::cpu_isa part) {
    const auto bits = static_cast<unsigned>(part);
    return (static_cast<unsigned>(set) & bits) == bits;
}

#if defined(__x86_64__)
struct Registers {
    unsigned a = 0, b = 0, c = 0, d = 0;
};

/// All zero where the processor does not know the leaf.
Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
    Registers r;
    if (!__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d)) return {};
    return r;
}

std::string brandString() {
    char text[49] = {};
    for (unsigned part = 0; part < 3; ++part) {
        const Registers r = cpuid(0x80000002u + part);
        std::memcpy(text + 16 * part, &r, sizeof(r));
    }
    std::string brand = text;
    brand.erase(0, brand.find_first_not_of(' '));
    brand.erase(brand.find_last_not_of(' ') + 1);
    return brand;
}
#endif

}  // namespace

std::string processorName() {
#if defined(__x86_64__)
    const unsigned signature = cpuid(1).a;
    unsigned family = (signature >> 8) & 15, model = (signature >> 4) & 15;
    if (family == 6 || family == 15) model += ((signature >> 16) & 15) << 4;
    if (family == 15) family += (signature >> 20) & 255;
    const std::string brand = brandString();
    return fmt::format("{} (family {}, model {}, stepping {})", brand.empty() ? "x86-64" : brand, family, model,
                       signature & 15);
#else
    return "unknown processor";
#endif
}

std::vector<std::string> processorInstructionSets() {
    std::vector<std::string> sets;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) sets.emplace_back("SSE4.2");
    if (__builtin_cpu_supports("avx2")) sets.emplace_back("AVX2");
    if (__builtin_cpu_supports("avx2") && (cpuid(7, 1).a & (1u << 4))) sets.emplace_back("AVX-VNNI");
    if (__builtin_cpu_supports("avx512f")) {
        sets.emplace_back("AVX-512");
        if (__builtin_cpu_supports("avx512vnni")) sets.emplace_back("AVX-512 VNNI");
        if (cpuid(7, 1).a & (1u << 5)) sets.emplace_back("AVX-512 BF16");
        if (cpuid(7).d & (1u << 25)) sets.emplace_back("AMX INT8");
    }
#endif
    return sets;
}

std::string onednnInstructionSet() {
    applyOnednnLimitFromEnvironment();
    const dnnl::cpu_isa set = dnnl::get_effective_cpu_isa();
    switch (set) {
        case dnnl::cpu_isa::sse41:
            return "sse41";
        case dnnl::cpu_isa::avx:
            return "avx";
        case dnnl::cpu_isa::avx2:
            return "avx2";
        case dnnl::cpu_isa::avx2_vnni:
            return "avx2_vnni";
        case dnnl::cpu_isa::avx512_core:
            return "avx512_core";
        case dnnl::cpu_isa::avx512_core_vnni:
            return "avx512_core_vnni";
        case dnnl::cpu_isa::avx512_core_bf16:
            return "avx512_core_bf16";
        case dnnl::cpu_isa::avx512_core_amx:
            return "avx512_core_amx";
        default:
            return fmt::format("isa {:#x}", static_cast<unsigned>(set));
    }
}

int availableProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void applyOnednnLimitFromEnvironment() {
    static std::once_flag once;
    std::call_once(once, [] {
        if (std::getenv("ONEDNN_MAX_CPU_ISA") != nullptr || std::getenv("DNNL_MAX_CPU_ISA") != nullptr) return;
        if (simdLimit() == SimdLimit::Sse4) dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41);
        if (simdLimit() == SimdLimit::Avx2) dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
    });
}

bool cpuHasFastInt8() {
    applyOnednnLimitFromEnvironment();
    if (simdLimit() != SimdLimit::Best) return false;
    const dnnl::cpu_isa set = dnnl::get_effective_cpu_isa();
    return contains(set, dnnl::cpu_isa::avx512_core_vnni) || contains(set, dnnl::cpu_isa::avx2_vnni);
}

}  // namespace reelbrush::kernels
