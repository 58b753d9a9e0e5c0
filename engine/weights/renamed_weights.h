#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// A weight under a new name, and which stored tensor (or what of one) it is.
struct RenamedWeight {
    enum class Form {
        Whole,      ///< the tensor as it is
        RowRange,   ///< one of `parts` equal ranges of its outermost axis: q, k or v of a fused projection
        Transposed  ///< a matrix, rows and columns exchanged
    };
    std::string name;
    std::string storedName;
    Form form = Form::Whole;
    int part = 0;            ///< RowRange: which range, from 0
    int parts = 1;           ///< RowRange: of how many
    std::size_t source = 0;  ///< index into the sources
};

/// Weights seen under other names. Nothing is copied: whole tensors and row ranges are the stored bytes themselves;
/// only a transposed matrix is made, as f32, when it is first asked for, and kept.
/// Views live as long as this object. Immutable, thread-safe.
class RenamedWeights final : public ListedWeights {
  public:
    /// Errors: BadInput where two stored tensors claim one name, or a stored tensor is missing.
    static Result<std::shared_ptr<const RenamedWeights>> make(std::vector<std::shared_ptr<const ListedWeights>> sources,
                                                              std::vector<RenamedWeight> weights);

    /// Errors: as of the source; BadInput where missing, where rows do not divide or where no matrix is transposed.
    Result<kernels::WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override { return entry(name) != nullptr; }
    const std::vector<std::string>& names() const override { return names_; }
    void dropPages() const override;

  private:
    RenamedWeights() = default;
    const RenamedWeight* entry(std::string_view name) const;
    Result<kernels::WeightView> transposed(const RenamedWeight& weight, const kernels::WeightView& stored) const;

    std::vector<std::shared_ptr<const ListedWeights>> sources_;
    std::vector<RenamedWeight> weights_;  ///< sorted by name
    std::vector<std::string> names_;
    mutable std::mutex transposedMutex_;
    mutable std::map<const RenamedWeight*, std::vector<float>> transposed_;
};

}  // namespace reelbrush::weights
