#pragma once

#include "engine/weights/listed_weights.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// Answers what a configuration is inferred from: which weights there are and how large. Reads no values.
class WeightShapes {
  public:
    /// weights must outlive this.
    explicit WeightShapes(const ListedWeights& weights) : weights_(weights) {}

    bool has(std::string_view name) const { return weights_.contains(name); }
    /// Empty where there is no such weight.
    std::vector<std::int64_t> shape(std::string_view name) const;
    /// 0 where there is no such weight or axis.
    std::int64_t dim(std::string_view name, std::size_t axis) const;
    /// How many of before + "0" + after, before + "1" + after ... there are, without a gap.
    int count(std::string_view before, std::string_view after) const;

  private:
    const ListedWeights& weights_;
};

}  // namespace reelbrush::weights
