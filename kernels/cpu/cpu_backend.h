#pragma once

#include "kernels/plan/backend.h"
#include "kernels/tensor/memory_budget.h"

#include <filesystem>
#include <memory>

namespace reelbrush::kernels {

/// Float32: everything in f32. Int8: layers that may be quantised run as int8 where the processor has VNNI (activations
/// rounded on the fly, one scale a sample for convolutions, one a row for linears and 1x1 convolutions), f32 elsewhere;
/// weights stored as floats are rounded, one scale an output. Fastest: as Int8 where the weights are stored as int8 and
/// int8 was measured faster than f32, else f32. A step keeps its algorithm when its weights are reloaded, so a plan is
/// best compiled from the stored weights and given those with LoRAs merged in afterwards.
enum class Precision { Float32, Int8, Fastest };

struct CpuOptions {
    int threads = 0;  ///< 0: all processors this process may use
    Precision precision = Precision::Fastest;
    /// Where measured algorithm choices are kept between runs (JSON); empty: measured anew each time.
    std::filesystem::path algorithmCacheFile = {};
    /// Packed weights and arenas are counted here; null: in one of the backend's own.
    std::shared_ptr<MemoryBudget> budget = {};
};

/// oneDNN for convolutions and linears, SIMD of our own (Highway: AVX2, AVX-512) for the rest.
class CpuBackend : public Backend {
  public:
    explicit CpuBackend(CpuOptions options);
    ~CpuBackend() override;

    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override;
    void enter() override;
    std::shared_ptr<MemoryBudget> memory() const override;
    int threads() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// True where int8 products are fast and exact in 32 bits (AVX-512 VNNI or AVX-VNNI), within the limits that
/// ONEDNN_MAX_CPU_ISA and REELBRUSH_MAX_SIMD put on this process.
bool cpuHasFastInt8();

}  // namespace reelbrush::kernels
