#pragma once

#include "kernels/tensor/dtype.h"
#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace reelbrush::kernels {

/// One weight. data: valid as long as its provider and, where there is one, this view's owner (or a copy of it):
/// weights that are computed when asked for are not kept by their provider. Row-major as in the file, convolutions
/// [out, in, kh, kw], linears [out, in]. dtype I8 with rowScales: value = int8 * rowScales[o], o the outermost index.
struct WeightView {
    DType dtype = DType::F32;
    Shape shape;
    const void* data = nullptr;
    const std::uint16_t* rowScales = nullptr;     ///< f16 bits, shape[0] of them; null unless dtype is I8
    std::shared_ptr<const void> owner = nullptr;  ///< of data that the provider does not keep; null where it does

    /// Writes all values as f32 in stored order; out has shape.elements() places.
    void toFloat(float* out) const;
    /// True for int8 with row scales: can be computed as int8.
    bool isQuantised() const { return dtype == DType::I8 && rowScales != nullptr; }
};

/// Where a plan finds its weights by name. Implementations are immutable while in use and thread-safe.
class WeightProvider {
  public:
    virtual ~WeightProvider() = default;
    /// Errors: BadInput naming the weight where it is missing.
    virtual Result<WeightView> find(std::string_view name) const = 0;
    virtual bool contains(std::string_view name) const = 0;
};

}  // namespace reelbrush::kernels
