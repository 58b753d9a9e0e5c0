#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"
#include "engine/weights/lora_block_weights.h"
#include "engine/weights/lora_coverage.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// A LoRA and how strongly it acts: 1 as trained, 0 not at all, negative the opposite way.
struct LoraUse {
    std::shared_ptr<const LoraFile> lora = nullptr;
    float strength = 1;                      ///< in the UNet, and in text encoders unless those have their own
    std::optional<float> textStrength = {};  ///< in the text encoders
    LoraBlockWeights blockWeights = {};      ///< multiplied with the strength
};

/// The model that LoRAs are merged into.
struct LoraTarget {
    ModelParts parts = {};
    std::string modelName = kStarterModelName;  ///< as errors call the model, and as baseModel() of a fitting LoRA
};

class LoraMergedWeights;

/// A model with LoRAs merged in.
struct LoraMergedModel {
    /// As many parts as the target has; those that no LoRA changes pass everything through.
    std::map<std::string, std::shared_ptr<const LoraMergedWeights>, std::less<>> parts;
    std::vector<LoraCoverage> coverage;  ///< one report a LoRA, in the order given
};

/// Matches LoRAs with all parts of a model together. Merges nothing yet: a merged weight is computed when it is asked
/// for (see LoraMergedWeights).
/// Errors: BadInput when one of the LoRAs does not fit (see matchLora), holds NaN or infinite values, or its strength
/// is not finite.
Result<LoraMergedModel> mergeLoras(const LoraTarget& target, std::span<const LoraUse> loras);

/// The weights of one part of a model with LoRAs merged in, always from the pristine weights, so that nothing drifts:
/// W' = W + sum of strength * dW (see lora_update.h), in fp32. What no LoRA of a strength other than 0 changes passes
/// through as it is stored, bit for bit.
///
/// A merged weight is computed by find() and not kept, but for the one asked for last: however large the model, the
/// peak is a few copies of one layer. Its view owns it, and so stays valid for as long as the view is held. A plan
/// packs layer by layer with Plan::reloadWeights(*merged, touched); to change the LoRAs later, pass the weights touched
/// before and after. Thread-safe; computes one weight at a time, on the threads that OpenMP gives the caller.
class LoraMergedWeights final : public ListedWeights {
  public:
    /// For a model that is a UNet alone: as mergeLoras, with `unet` as the target's only part.
    static Result<std::shared_ptr<const LoraMergedWeights>> merge(std::shared_ptr<const ListedWeights> unet,
                                                                  std::span<const LoraUse> loras, LoraTarget target);

    /// Errors: as the pristine weights'; OutOfMemory.
    Result<kernels::WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override { return pristine_->contains(name); }
    const std::vector<std::string>& names() const override { return pristine_->names(); }
    /// Of the pristine weights and of the LoRAs' files; also lets go of the weight asked for last.
    void dropPages() const override;

    /// Names of the weights that differ from the pristine ones, sorted.
    const std::vector<std::string>& touchedWeights() const { return touchedWeights_; }
    /// One report a LoRA over all parts of the model, in the order given.
    const std::vector<LoraCoverage>& coverage() const { return coverage_; }

  private:
    friend Result<LoraMergedModel> mergeLoras(const LoraTarget&, std::span<const LoraUse>);

    struct Change {
        std::shared_ptr<const LoraFile> lora;
        const LoraModule* module = nullptr;
        float strength = 1;
        bool isBias = false;
    };
    struct Layer {
        std::string name;
        kernels::Shape shape;
        std::vector<float> values;
    };

    explicit LoraMergedWeights(std::shared_ptr<const ListedWeights> pristine) : pristine_(std::move(pristine)) {}
    void add(const LoraUse& use, const LoraMatch& match, float strength);
    Status compute(std::string_view name, const std::vector<Change>& changes, Layer& layer) const;

    std::shared_ptr<const ListedWeights> pristine_;
    std::map<std::string, std::vector<Change>, std::less<>> changes_;  ///< by weight
    std::vector<std::string> touchedWeights_;
    std::vector<LoraCoverage> coverage_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<Layer> last_;  ///< steps ask for a weight more than once while they are packed
};

}  // namespace reelbrush::weights
