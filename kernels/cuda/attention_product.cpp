#include "kernels/cuda/attention_product.h"

#include "kernels/cuda/cublas_types.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Result<std::unique_ptr<AttentionProduct>> AttentionProduct::create(const AttentionProductShape& shape,
                                                                   const CudaContext& context) {
    std::unique_ptr<AttentionProduct> product(new AttentionProduct(shape, context));
    RB_TRY(product->describe());
    RB_TRY(product->choose());
    return product;
}

AttentionProduct::~AttentionProduct() {
    if (y_) cublasLtMatrixLayoutDestroy(y_);
    if (x_) cublasLtMatrixLayoutDestroy(x_);
    if (m_) cublasLtMatrixLayoutDestroy(m_);
    if (product_) cublasLtMatmulDescDestroy(product_);
}

Status AttentionProduct::describe() {
    constexpr const char* kDoing = "describing a product of an attention";
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, cublasOperation_t value) {
        return cublasStatus(cublasLtMatmulDescSetAttribute(product_, attribute, &value, sizeof(value)), kDoing);
    };
    const auto layout = [&](cublasLtMatrixLayout_t& target, DType type, std::int64_t columns, std::int64_t rows,
                            std::int64_t stride) {
        return cublasStatus(cublasLtMatrixLayoutCreate(&target, cudaTypeOf(type), static_cast<std::uint64_t>(columns),
                                                       static_cast<std::uint64_t>(rows), stride),
                            kDoing);
    };
    RB_TRY(cublasStatus(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F), kDoing));
    RB_TRY(set(CUBLASLT_MATMUL_DESC_TRANSA, shape_.isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N));
    RB_TRY(set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N));
    if (shape_.isTransposed)
        RB_TRY(layout(m_, shape_.type, shape_.inputs, shape_.outputs, shape_.mStride));
    else
        RB_TRY(layout(m_, shape_.type, shape_.outputs, shape_.inputs, shape_.mStride));
    RB_TRY(layout(x_, shape_.type, shape_.inputs, shape_.rows, shape_.xStride));
    return layout(y_, shape_.resultType, shape_.outputs, shape_.rows, shape_.yStride);
}

Status AttentionProduct::choose() {
    constexpr const char* kDoing = "choosing a product of an attention";
    cublasLtMatmulPreference_t preference = nullptr;
    RB_TRY(cublasStatus(cublasLtMatmulPreferenceCreate(&preference), kDoing));
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
        return cublasStatus(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)), kDoing);
    };
    cublasLtMatmulHeuristicResult_t result{};
    const auto ask = [&]() -> Status {
        RB_TRY(set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kMostWorkspaceBytes}));
        // Partial sums stay f32, or long sums in half precision would lose digits.
        RB_TRY(set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE}));
        for (const auto attribute :
             {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
            RB_TRY(set(attribute, std::uint32_t{16}));
        int count = 0;
        RB_TRY(cublasStatus(
            cublasLtMatmulAlgoGetHeuristic(context_.cublasLt, product_, m_, x_, y_, y_, preference, 1, &result, &count),
            kDoing));
        if (count == 0 || result.state != CUBLAS_STATUS_SUCCESS)
            return fail(StatusCode::Unsupported,
                        fmt::format("cuBLAS knows no product of {} x {} by {} x {} for an attention", shape_.rows,
                                    shape_.inputs, shape_.inputs, shape_.outputs));
        return {};
    };
    const Status asked = ask();
    cublasLtMatmulPreferenceDestroy(preference);
    RB_TRY(asked);
    algorithm_ = result.algo;
    workspaceBytes_ = result.workspaceSize;
    return {};
}

Status AttentionProduct::run(const void* x, const void* m, void* y, void* workspace) const {
    const float none = 0.0f;
    return cublasStatus(cublasLtMatmul(context_.cublasLt, product_, &shape_.factor, m, m_, x, x_, &none, y, y_, y, y_,
                                       &algorithm_, workspace, workspaceBytes_, context_.stream),
                        "a product of an attention");
}

}  // namespace reelbrush::kernels
