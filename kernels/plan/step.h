#pragma once

#include "kernels/plan/node.h"
#include "kernels/plan/weight_provider.h"
#include "kernels/tensor/status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// Where a step reads and writes; all inside the arena, 64-byte aligned, valid until the next bind.
struct StepBuffers {
    std::vector<const float*> inputs;
    float* output = nullptr;
    std::byte* scratch = nullptr;
};

/// A node made ready for one device and one set of shapes: weights packed, algorithm chosen, nothing left to decide.
class Step {
  public:
    virtual ~Step() = default;
    /// Scratch that run() needs inside the arena; fixed once prepared.
    virtual std::size_t scratchBytes() const { return 0; }
    /// Packed weights that this step holds where it computes.
    virtual std::size_t weightBytes() const { return 0; }
    /// Those that a device's step keeps in the host's memory.
    virtual std::size_t hostWeightBytes() const { return 0; }
    /// Packs the node's weights again from another provider (a LoRA was switched). No-op for steps without weights.
    virtual Status loadWeights(const WeightProvider&) { return {}; }
    /// Fixes the addresses. May be called again.
    virtual void bind(const StepBuffers& buffers) = 0;
    /// Computes once. Allocates nothing. Thread: the one that drives the plan.
    virtual Status run() = 0;
    /// Floating-point (or int8) operations of one run, 2 per multiply-add; 0 where memory is what counts.
    virtual double operations() const { return 0.0; }
    /// "direct f32", "banded winograd f32", "int8", "simd": for reports.
    virtual std::string algorithm() const { return "simd"; }
    /// True where the products run in int8.
    virtual bool isInt8() const { return false; }
};

/// What a backend gets to prepare a step.
struct StepRequest {
    const Node& node;
    std::span<const Shape> inputs;
    const Shape& output;
    const WeightProvider& weights;
};

}  // namespace reelbrush::kernels
