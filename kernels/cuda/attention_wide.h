#pragma once

#include "kernels/cuda/attention_problem.h"
#include "kernels/cuda/attention_product.h"
#include "kernels/cuda/scratch_layout.h"

#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// Attention with heads too wide for the flash kernels (a VAE's, of 512 channels): two products of cuBLASLt with the
/// exponentials between, for so many queries at a time that their scores stay in the card's cache. Of F16 or BF16;
/// one segment, not causal, head size a multiple of 8, rows at multiples of 16 bytes.
class WideAttention {
  public:
    static bool computes(const AttentionProblem& problem);

    /// Errors: Unsupported where cuBLASLt has no algorithm for it, Internal.
    static Result<std::unique_ptr<WideAttention>> create(const AttentionProblem& problem, DType type,
                                                         const CudaContext& context);

    std::size_t scratchBytes() const { return scratch_.totalBytes(); }
    /// Queues it. problem: as it was prepared for, with addresses.
    Status run(const AttentionProblem& problem, std::byte* scratch) const;

  private:
    WideAttention(DType type, const CudaContext& context) : type_(type), context_(context) {}

    /// Both products, for one number of queries.
    struct Products {
        std::unique_ptr<AttentionProduct> scores, values;
    };
    Result<Products> productsOf(const AttentionProblem& problem, std::int64_t rows) const;
    Status runRows(const AttentionProblem& problem, std::int64_t item, std::byte* base) const;

    DType type_;
    const CudaContext& context_;
    std::int64_t keyStride_ = 0;  ///< of a row of scores
    std::int64_t rows_ = 0;       ///< queries at a time
    Products full_, rest_;        ///< rest: the last queries, where they are fewer
    ScratchLayout scratch_;
    std::size_t scoresAt_ = 0, weightsAt_ = 0, workspaceAt_ = 0;
};

}  // namespace reelbrush::kernels
