#pragma once

#include "kernels/plan/backend.h"
#include "kernels/plan/graph.h"
#include "kernels/plan/weight_provider.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::kernels {

/// What one step of a plan costs; times are filled by Plan::profile.
struct StepReport {
    std::string name;       ///< the module in the model
    std::string op;         ///< op class: "conv2d", "attention", ...
    std::string algorithm;  ///< how the backend computes it
    Shape output;
    double operations = 0.0;
    double bytes = 0.0;    ///< of inputs, output and weights, each once: the least that must move
    double seconds = 0.0;  ///< fastest of the profiled runs
    bool int8 = false;
};

/// A graph compiled for one backend and one set of shapes. Everything is decided at compile time: fused ops, packed
/// weights, algorithms, and a fixed place in one arena for every intermediate, so that the peak is known to the byte
/// before the first run and runs allocate nothing.
///
/// compile → bind to an arena of arenaBytes() → fill inputs → run → read outputs; the last three as often as wanted.
/// Several plans may be bound to one arena as long as they never run at once; each then overwrites the other's inputs
/// and outputs. Thread: one at a time; the backend must outlive the plan.
class Plan {
  public:
    /// Errors: those of the graph, of weights (missing, wrong shape) and of the backend.
    static Result<Plan> compile(Graph graph, const WeightProvider& weights, Backend& backend);

    Plan(Plan&&) noexcept;
    Plan& operator=(Plan&&) noexcept;
    ~Plan();

    std::size_t arenaBytes() const;
    /// Packed weights held by the steps, where they compute.
    std::size_t weightBytes() const;
    /// Those of a device's plan that stay in the host's memory.
    std::size_t hostWeightBytes() const;

    /// arena: of the backend (see Backend::allocateArena), 64-byte aligned, at least arenaBytes(), not owned.
    /// Errors: Internal when it is too small.
    Status bind(std::span<std::byte> arena);
    /// Where the caller writes an input, or reads an output, between runs; row-major f32 of the declared shape, in host
    /// memory.
    /// Empty for an unknown name or before bind.
    std::span<float> input(std::string_view name);
    std::span<const float> output(std::string_view name) const;
    Shape outputShape(std::string_view name) const;

    /// Computes once, and returns when the outputs are there. `cancelled` is asked between steps, on a device before
    /// the first. Errors: Cancelled, Internal.
    Status run(const std::function<bool()>& cancelled = {});

    /// Packs again, from `weights`, only the steps that use one of the touched names. Returns how many did.
    Result<std::size_t> reloadWeights(const WeightProvider& weights, const std::set<std::string, std::less<>>& touched);

    /// Runs `repeats` times and reports each step's fastest time. Inputs must be filled.
    Result<std::vector<StepReport>> profile(int repeats);
    /// The same without times.
    std::vector<StepReport> report() const;

  private:
    struct Impl;
    explicit Plan(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace reelbrush::kernels
