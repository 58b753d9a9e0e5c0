#pragma once

#include "kernels/cuda/cuda_context.h"

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace reelbrush::kernels {

/// A product of matrices that lie in larger ones: y [rows,outputs] = factor * x [rows,inputs] * m, with m either
/// [outputs,inputs], transposed, or [inputs,outputs]. Strides, of rows, count elements. x and m are of one type, F16 or
/// BF16; all begin at multiples of 16 bytes.
struct AttentionProductShape {
    std::int64_t rows = 0, inputs = 0, outputs = 0;
    std::int64_t xStride = 0, mStride = 0, yStride = 0;
    bool isTransposed = false;
    DType type = DType::F16;
    DType resultType = DType::F32;  ///< F32 or `type`; sums are f32
    float factor = 1.0f;
};

/// Such a product in cuBLASLt, ready to run. Thread: any, one at a time.
class AttentionProduct {
  public:
    static constexpr std::size_t kMostWorkspaceBytes = std::size_t{16} << 20;

    /// Errors: Unsupported where cuBLASLt has no algorithm for it, Internal.
    static Result<std::unique_ptr<AttentionProduct>> create(const AttentionProductShape& shape,
                                                            const CudaContext& context);
    ~AttentionProduct();
    AttentionProduct(const AttentionProduct&) = delete;
    AttentionProduct& operator=(const AttentionProduct&) = delete;

    std::size_t workspaceBytes() const { return workspaceBytes_; }
    /// Queues it on the context's stream. workspace: 256-byte aligned.
    Status run(const void* x, const void* m, void* y, void* workspace) const;

  private:
    AttentionProduct(const AttentionProductShape& shape, const CudaContext& context)
        : shape_(shape), context_(context) {}
    Status describe();
    Status choose();

    AttentionProductShape shape_;
    const CudaContext& context_;
    cublasLtMatmulDesc_t product_ = nullptr;
    // cuBLAS counts columns first: it computes the transposed product from what it sees as transposed matrices.
    cublasLtMatrixLayout_t m_ = nullptr, x_ = nullptr, y_ = nullptr;
    cublasLtMatmulAlgo_t algorithm_{};
    std::size_t workspaceBytes_ = 0;
};

}  // namespace reelbrush::kernels
