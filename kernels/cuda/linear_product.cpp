#include "kernels/cuda/linear_product.h"

#include "kernels/cuda/cublas_types.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace reelbrush::kernels {

namespace {

cublasLtEpilogue_t epilogueOf(const LinearShape& shape) {
    switch (shape.activation) {
        case Activation::Relu:
            return shape.hasBias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
        case Activation::GeluTanh:
            return shape.hasBias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
        default:
            return shape.hasBias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    }
}

/// What is asked of the library when it proposes algorithms.
class Preference {
  public:
    Preference() { cublasLtMatmulPreferenceCreate(&preference_); }
    ~Preference() {
        if (preference_) cublasLtMatmulPreferenceDestroy(preference_);
    }
    Preference(const Preference&) = delete;
    Preference& operator=(const Preference&) = delete;

    template <typename Value>
    Status set(cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
        return cublasStatus(cublasLtMatmulPreferenceSetAttribute(preference_, attribute, &value, sizeof(value)),
                            "asking for a matrix product");
    }
    cublasLtMatmulPreference_t get() const { return preference_; }

  private:
    cublasLtMatmulPreference_t preference_ = nullptr;
};

}  // namespace

bool LinearShape::canFuse(Activation activation) {
    return activation == Activation::None || activation == Activation::Relu || activation == Activation::GeluTanh;
}

std::string LinearShape::key() const {
    return fmt::format("linear {} rows {} to {} {} bias {} residual {} activation {}", rows, inputs, outputs,
                       nameOf(type), hasBias ? 1 : 0, hasResidual ? 1 : 0, static_cast<int>(activation));
}

Result<std::unique_ptr<LinearProduct>> LinearProduct::create(const LinearShape& shape, const void* bias,
                                                             const CudaContext& context) {
    RB_ENSURE(LinearShape::canFuse(shape.activation), "an activation that cuBLASLt does not compute");
    std::unique_ptr<LinearProduct> product(new LinearProduct(shape, context));
    RB_TRY(product->describe(bias));
    return product;
}

LinearProduct::~LinearProduct() {
    if (y_) cublasLtMatrixLayoutDestroy(y_);
    if (x_) cublasLtMatrixLayoutDestroy(x_);
    if (weights_) cublasLtMatrixLayoutDestroy(weights_);
    if (product_) cublasLtMatmulDescDestroy(product_);
}

Status LinearProduct::describe(const void* bias) {
    constexpr const char* kDoing = "describing a matrix product";
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
        return cublasStatus(cublasLtMatmulDescSetAttribute(product_, attribute, &value, sizeof(value)), kDoing);
    };
    const auto layout = [&](cublasLtMatrixLayout_t& target, std::int64_t rows, std::int64_t columns) {
        return cublasStatus(
            cublasLtMatrixLayoutCreate(&target, cudaTypeOf(shape_.type), static_cast<std::uint64_t>(rows),
                                       static_cast<std::uint64_t>(columns), rows),
            kDoing);
    };
    RB_TRY(cublasStatus(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F), kDoing));
    RB_TRY(set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T));
    RB_TRY(set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N));
    RB_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(shape_)));
    if (shape_.hasBias) RB_TRY(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias));
    RB_TRY(layout(weights_, shape_.inputs, shape_.outputs));
    RB_TRY(layout(x_, shape_.inputs, shape_.rows));
    return layout(y_, shape_.outputs, shape_.rows);
}

Result<std::vector<LinearAlgorithm>> LinearProduct::algorithms(int most) const {
    constexpr std::uint32_t kArenaAlignment = 64, kWeightAlignment = 256;
    Preference preference;
    RB_TRY(preference.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kMostWorkspaceBytes}));
    // Partial sums stay f32, or long sums in half precision would lose digits.
    RB_TRY(preference.set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                          std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE}));
    RB_TRY(preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, kWeightAlignment));
    for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        RB_TRY(preference.set(attribute, kArenaAlignment));

    std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(most));
    int count = 0;
    RB_TRY(cublasStatus(cublasLtMatmulAlgoGetHeuristic(context_.cublasLt, product_, weights_, x_, y_, y_,
                                                       preference.get(), most, results.data(), &count),
                        "choosing a matrix product"));
    std::vector<LinearAlgorithm> found;
    for (int i = 0; i < count; ++i) {
        const auto& result = results[static_cast<std::size_t>(i)];
        if (result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= kMostWorkspaceBytes)
            found.push_back({result.algo, result.workspaceSize});
    }
    if (found.empty()) return fail(StatusCode::Unsupported, "cuBLAS knows no algorithm for a " + shape_.key());
    return found;
}

std::string LinearProduct::textOf(const LinearAlgorithm& algorithm) {
    std::string text;
    for (const std::uint64_t word : algorithm.algorithm.data) text += fmt::format("{:016x}", word);
    return text;
}

Result<LinearAlgorithm> LinearProduct::algorithmOf(const std::string& text) const {
    constexpr std::size_t kDigits = 16;
    LinearAlgorithm result;
    if (text.size() != kDigits * std::size(result.algorithm.data))
        return fail(StatusCode::Unsupported, "a remembered matrix product is of another length");
    const char* next = text.data();
    for (auto& word : result.algorithm.data) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(next, next + kDigits, value, 16);
        if (error != std::errc() || end != next + kDigits)
            return fail(StatusCode::Unsupported, "a remembered matrix product is no number");
        word = value;
        next += kDigits;
    }
    cublasLtMatmulHeuristicResult_t checked{};
    RB_TRY(cublasStatus(
        cublasLtMatmulAlgoCheck(context_.cublasLt, product_, weights_, x_, y_, y_, &result.algorithm, &checked),
        "checking a remembered matrix product"));
    if (checked.workspaceSize > kMostWorkspaceBytes)
        return fail(StatusCode::Unsupported, "a remembered matrix product needs too much memory");
    result.workspaceBytes = checked.workspaceSize;
    return result;
}

Status LinearProduct::run(const Operands& operands, const LinearAlgorithm& algorithm) const {
    const float one = 1.0f, residualFactor = shape_.hasResidual ? 1.0f : 0.0f;
    const void* c = shape_.hasResidual ? operands.residual : operands.y;
    return cublasStatus(cublasLtMatmul(context_.cublasLt, product_, &one, operands.weights, weights_, operands.x, x_,
                                       &residualFactor, c, y_, operands.y, y_, &algorithm.algorithm, operands.workspace,
                                       algorithm.workspaceBytes, context_.stream),
                        "a matrix product");
}

}  // namespace reelbrush::kernels
