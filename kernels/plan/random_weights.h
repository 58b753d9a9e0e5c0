#pragma once

#include "kernels/plan/weight_provider.h"
#include "kernels/plan/weight_shapes.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// Weights for graphs whose model is not at hand, for measuring speed and memory. Products are close to normally
/// distributed with a variance of 1 / inputs (LeCun et al. 1998), so that activations keep their size from layer to
/// layer; gammas are 1, biases and betas 0. The same seed, name and shape give the same values on every machine.
/// f32 values are made when asked for and not kept, but for the last asked for; views own theirs. Thread-safe.
class RandomWeights final : public WeightProvider {
  public:
    explicit RandomWeights(const Graph& graph, std::uint64_t seed = 1) : seed_(seed) { addWeightsOf(graph); }
    /// For parts of one model; a name that is known already stays as it is.
    void addWeightsOf(const Graph& graph);

    /// Errors: BadInput for a name that no graph uses.
    Result<WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override { return needs_.contains(name); }
    /// Values over all weights.
    std::int64_t parameters() const;

  private:
    std::vector<float> valuesOf(std::string_view name, const WeightNeed& need) const;

    std::uint64_t seed_;
    std::map<std::string, WeightNeed, std::less<>> needs_;
    // Preparing a layer asks for the same weight again and again.
    mutable std::mutex mutex_;
    mutable std::string lastName_;
    mutable std::shared_ptr<const std::vector<float>> last_;
};

}  // namespace reelbrush::kernels
