#pragma once

#include "engine/core/status.h"
#include "engine/weights/lora_coverage.h"
#include "kernels/plan/weight_provider.h"

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// A LoRA and how strongly it acts: 1 as trained, 0 not at all, negative the opposite way.
struct LoraUse {
    std::shared_ptr<const LoraFile> lora;
    float strength = 1;
};

/// A model's weights with LoRAs merged in, always from the pristine weights, so that nothing drifts:
/// W' = W + sum of strength * factor * up.flatten(1) @ down.flatten(1), in fp32, LoRAs in the order given.
/// Changed weights are held as F32 (4 bytes a value; all of them, computed at once) and are meant to live only while a
/// plan packs them: touchedWeights() says which it has to pack again, releaseMerged() frees them. All others pass
/// through as they are stored; so does everything that only LoRAs of strength 0 would change.
/// Thread-safe but for releaseMerged().
class LoraMergedWeights final : public kernels::WeightProvider {
  public:
    /// Errors: BadInput when one of the LoRAs fits nothing (see matchLora), holds NaN or infinite values, or its
    /// strength is not finite; OutOfMemory, saying how much is needed.
    static Result<std::shared_ptr<LoraMergedWeights>> merge(std::shared_ptr<const kernels::WeightProvider> pristine,
                                                            std::span<const LoraUse> loras, const LoraTarget& target);

    /// Errors: as the pristine provider's; Internal for a changed weight after releaseMerged().
    Result<kernels::WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override { return pristine_->contains(name); }

    /// Names of the weights that differ from the pristine ones, sorted; the same after releaseMerged().
    const std::vector<std::string>& touchedWeights() const { return touchedWeights_; }
    /// One report a LoRA, in the order given.
    const std::vector<LoraCoverage>& coverage() const { return coverage_; }
    /// Bytes that the changed weights hold now.
    std::size_t heldBytes() const;
    /// Frees the changed weights once they are packed; their views end. No find() may run at the same time.
    void releaseMerged() { merged_.clear(); }

  private:
    struct MergedWeight {
        kernels::Shape shape;
        std::unique_ptr<float[]> values;
    };

    explicit LoraMergedWeights(std::shared_ptr<const kernels::WeightProvider> pristine)
        : pristine_(std::move(pristine)) {}
    Status add(const LoraUse& use, const LoraTarget& target);
    Result<MergedWeight*> startFrom(const std::string& weight);

    std::shared_ptr<const kernels::WeightProvider> pristine_;
    std::map<std::string, MergedWeight, std::less<>> merged_;
    std::vector<std::string> touchedWeights_;
    std::vector<LoraCoverage> coverage_;
};

}  // namespace reelbrush::weights
