#pragma once

#include "kernels/plan/node.h"
#include "kernels/plan/weight_provider.h"

#include <cstdint>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// Int8 weights [outputs, inputs of one output] with a scale for each output: value = values * scales[output].
struct QuantisedRows {
    std::vector<std::int8_t> values;
    std::vector<float> scales;  ///< above 0; a row of zeros has 1
};

/// The weights of a convolution or a linear with one or several parts, as one matrix whose rows are the outputs.
class WeightRows {
  public:
    WeightRows(const Conv2d& op, const Node& node, std::int64_t inputChannels);
    WeightRows(const Linear& op, const Node& node, std::int64_t inputFeatures);

    std::int64_t rows() const { return rows_; }
    std::int64_t rowLength() const { return rowLength_; }
    bool hasBias() const;

    /// True where every part is stored as int8 with row scales.
    /// Errors of this and of the rest: BadInput where a weight is missing or of another shape.
    Result<bool> isStoredInt8(const WeightProvider& weights) const;
    /// [rows, rowLength]
    Result<std::vector<float>> loadFloats(const WeightProvider& weights) const;
    /// Stored int8 as it is; stored floats (a layer with a LoRA merged in) rounded, one scale a row.
    Result<QuantisedRows> loadInt8(const WeightProvider& weights, int threads) const;
    /// [rows]; zeros where a part has none.
    Result<std::vector<float>> loadBiases(const WeightProvider& weights) const;

  private:
    struct Part {
        std::string weight, bias;  ///< bias: "" where absent
        Shape shape;
    };
    Result<WeightView> findWeight(const WeightProvider& weights, const Part& part) const;

    std::vector<Part> parts_;
    std::int64_t rows_ = 0, rowLength_ = 0;
};

}  // namespace reelbrush::kernels
