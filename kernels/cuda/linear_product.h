#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/ops/activation.h"

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// A product as cuBLASLt computes it: y [rows,outputs] = activation(x [rows,inputs] * weights [outputs,inputs]^T +
/// bias + residual), sums in f32 (of f32 values: true f32, not TF32).
struct LinearShape {
    std::int64_t rows = 0, inputs = 0, outputs = 0;
    DType type = DType::F16;
    bool hasBias = false, hasResidual = false;
    Activation activation = Activation::None;  ///< one for which canFuse is true

    /// None, Relu and GeluTanh: the library's GELU is the tanh form.
    static bool canFuse(Activation activation);
    /// Everything that decides which algorithm is fastest, as text.
    std::string key() const;
};

/// An algorithm of cuBLASLt for a product, and the work space it needs.
struct LinearAlgorithm {
    cublasLtMatmulAlgo_t algorithm{};
    std::size_t workspaceBytes = 0;
};

/// A product made ready but for its algorithm. bias: its address, fixed; null where the shape has none.
/// Thread: any, one at a time.
class LinearProduct {
  public:
    /// Work space that an algorithm may have.
    static constexpr std::size_t kMostWorkspaceBytes = std::size_t{32} << 20;

    /// Errors: Internal.
    static Result<std::unique_ptr<LinearProduct>> create(const LinearShape& shape, const void* bias,
                                                         const CudaContext& context);
    ~LinearProduct();
    LinearProduct(const LinearProduct&) = delete;
    LinearProduct& operator=(const LinearProduct&) = delete;

    const LinearShape& shape() const { return shape_; }

    /// At most `most`, those likely to be fastest first. Errors: Unsupported where there is none.
    Result<std::vector<LinearAlgorithm>> algorithms(int most) const;
    /// An algorithm as text, for files, and back. Errors: Unsupported where it is none that works here.
    static std::string textOf(const LinearAlgorithm& algorithm);
    Result<LinearAlgorithm> algorithmOf(const std::string& text) const;

    struct Operands {
        const void* x = nullptr;
        const void* weights = nullptr;
        const void* residual = nullptr;  ///< null where the shape has none
        void* y = nullptr;
        void* workspace = nullptr;  ///< 256-byte aligned
    };
    /// Queues it on the context's stream.
    Status run(const Operands& operands, const LinearAlgorithm& algorithm) const;

  private:
    LinearProduct(const LinearShape& shape, const CudaContext& context) : shape_(shape), context_(context) {}
    Status describe(const void* bias);

    LinearShape shape_;
    const CudaContext& context_;
    cublasLtMatmulDesc_t product_ = nullptr;
    // cuBLAS counts columns first: our rows of weights are its columns, and so on.
    cublasLtMatrixLayout_t weights_ = nullptr, x_ = nullptr, y_ = nullptr;
};

}  // namespace reelbrush::kernels
