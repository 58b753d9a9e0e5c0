#pragma once

#include "engine/weights/listed_weights.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace reelbrush::weights {

/// Weights that are numbers: find() looks through each one when it is first asked for, while its bytes are on their way
/// to be packed anyway. A damaged model is thus told by the name of its file, not by a black frame. Thread-safe.
class FiniteWeights final : public ListedWeights {
  public:
    /// file: for messages.
    FiniteWeights(std::shared_ptr<const ListedWeights> inner, std::filesystem::path file)
        : inner_(std::move(inner)), file_(std::move(file)) {}

    /// Errors: as of the inner weights; BadInput where a value is not a finite number, naming file and weight.
    Result<kernels::WeightView> find(std::string_view name) const override;
    Result<kernels::Shape> shapeOf(std::string_view name) const override { return inner_->shapeOf(name); }
    bool contains(std::string_view name) const override { return inner_->contains(name); }
    const std::vector<std::string>& names() const override { return inner_->names(); }
    void dropPages() const override { inner_->dropPages(); }

  private:
    const std::shared_ptr<const ListedWeights> inner_;
    const std::filesystem::path file_;
    mutable std::mutex mutex_;
    mutable std::set<std::string, std::less<>> sound_;  ///< guarded by mutex_
};

/// The same weights, guarded so; null stays null.
std::shared_ptr<const ListedWeights> requireFinite(std::shared_ptr<const ListedWeights> weights,
                                                   const std::filesystem::path& file);

}  // namespace reelbrush::weights
