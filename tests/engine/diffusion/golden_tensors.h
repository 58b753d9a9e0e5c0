#pragma once

#include "engine/weights/model_weights.h"
#include "kernels/tensor/shape.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::testing {

/// Golden values of a fixture file, as f32 in the product's layout.
class GoldenTensors {
  public:
    /// Fails the test (by throwing) when the file cannot be read.
    explicit GoldenTensors(const std::filesystem::path& file);

    /// Stored order.
    std::vector<float> values(const std::string& name) const;
    /// An image [N,C,H,W] as [N,H,W,C].
    std::vector<float> image(const std::string& name) const;
    kernels::Shape shapeOf(const std::string& name) const;

  private:
    std::shared_ptr<const weights::ModelWeights> file_;
};

/// Agreement of computed with golden values.
struct Agreement {
    double cosine = 0.0;
    double maxError = 0.0;       ///< absolute
    double relativeError = 0.0;  ///< largest absolute error over the golden values' largest magnitude
    double psnr = 0.0;           ///< dB, for a peak of 1
};
/// Also prints the numbers under `what`.
Agreement agreement(const std::string& what, std::span<const float> computed, std::span<const float> golden);

}  // namespace reelbrush::testing
