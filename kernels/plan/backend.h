#pragma once

#include "kernels/plan/device.h"
#include "kernels/plan/step.h"
#include "kernels/plan/weight_placement.h"
#include "kernels/tensor/memory_budget.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace reelbrush::kernels {

/// Turns nodes into steps for one device. One implementation per device, and the scalar reference.
class Backend {
  public:
    virtual ~Backend() = default;
    /// Errors: BadInput (weights missing or of the wrong shape, both shapes in the message), OutOfMemory, Unsupported.
    virtual Result<std::unique_ptr<Step>> prepare(const StepRequest& request) = 0;
    /// How the steps that are prepared from now on keep their weights. Of no effect where there is but one way.
    virtual void keepWeights(const WeightPlacement&) {}
    /// Told once all steps of a plan are prepared, in the order in which they will run, before they are bound.
    virtual Status arrange(std::span<Step* const>) { return {}; }
    /// Called by whatever thread compiles or runs a plan, before it does: sets that thread up (thread count).
    virtual void enter() {}
    /// "CPU", or the name of the GPU.
    virtual std::string name() const { return "CPU"; }
    /// Where the backend computes in memory of its own; null where it computes in the host's.
    virtual Device* device() { return nullptr; }
    /// The same device in f32, opened when first asked for and owned by this; null where values are f32 already.
    /// Errors: those of opening it.
    virtual Result<Backend*> wider() { return nullptr; }
    /// The account of what steps and arenas hold of the memory that the backend computes in; null where none is kept.
    virtual std::shared_ptr<MemoryBudget> memory() const { return nullptr; }
    /// The same of the host's memory that its device reaches too.
    virtual std::shared_ptr<MemoryBudget> sharedMemory() const { return nullptr; }
    /// Memory that plans are bound to, zero-filled on hosts. Errors: OutOfMemory.
    virtual Result<std::unique_ptr<DeviceMemory>> allocateArena(std::size_t bytes);
};

/// While it lives, what is taken from a backend's accounts is held by `holder`: "UNet". See HeldBy.
class HeldFor {
  public:
    HeldFor(const Backend& backend, std::string_view holder)
        : own_(backend.memory(), holder), shared_(backend.sharedMemory(), holder) {}

  private:
    HeldBy own_, shared_;
};

}  // namespace reelbrush::kernels
