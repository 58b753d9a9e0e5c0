#pragma once

#include "kernels/plan/weight_provider.h"
#include "kernels/tensor/dtype.h"
#include "tests/kernels/support/test_tensor.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// Weights as files store them, in any type; random bytes that are no NaN and not too large in it.
class TypedWeights final : public WeightProvider {
  public:
    void add(const std::string& name, const Shape& shape, DType type, std::uint64_t seed);

    Result<WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override { return entries_.contains(name); }

  private:
    struct Entry {
        Shape shape;
        DType type = DType::F32;
        std::vector<std::byte> bytes;
        std::vector<std::uint16_t> scales;
    };
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace reelbrush::kernels
