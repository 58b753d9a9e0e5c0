#pragma once

#include "kernels/plan/float_weights.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace reelbrush::kernels {

/// The two vectors of a normalisation as f32, and where they come from.
class GammaBeta {
  public:
    GammaBeta(std::vector<std::string> names, std::int64_t channels) : names_(std::move(names)), channels_(channels) {}

    /// Errors: BadInput where one is missing or of another shape; the values in use then stay as they were.
    Status load(const WeightProvider& weights) {
        if (names_.size() != 2 || names_[0].empty() || names_[1].empty())
            return fail(StatusCode::BadInput,
                        fmt::format("A normalisation needs the names of gamma and beta, and got {}.", names_.size()));
        RB_ASSIGN(std::vector<float> newGamma, loadFloats(weights, names_[0], {channels_}));
        RB_ASSIGN(std::vector<float> newBeta, loadFloats(weights, names_[1], {channels_}));
        gamma_ = std::move(newGamma);
        beta_ = std::move(newBeta);
        return {};
    }
    const float* gamma() const { return gamma_.data(); }
    const float* beta() const { return beta_.data(); }
    std::size_t sizeBytes() const { return (gamma_.size() + beta_.size()) * sizeof(float); }

  private:
    std::vector<std::string> names_;
    std::int64_t channels_;
    std::vector<float> gamma_, beta_;
};

}  // namespace reelbrush::kernels
