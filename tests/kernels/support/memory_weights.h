#pragma once

#include "kernels/plan/weight_provider.h"
#include "tests/kernels/support/test_tensor.h"

#include <map>
#include <string>

namespace reelbrush::kernels {

/// Weights that live in the test.
class MemoryWeights : public WeightProvider {
  public:
    void add(const std::string& name, const TestTensor& tensor);
    /// Rounded to int8 with one f16 scale per outermost row, as files store it.
    void addInt8(const std::string& name, const TestTensor& tensor);

    Result<WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override;

  private:
    struct Entry {
        Shape shape;
        std::vector<float> floats;
        std::vector<std::int8_t> bytes;
        std::vector<std::uint16_t> scales;
    };
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace reelbrush::kernels
