#pragma once

#include "kernels/cuda/attention_problem.h"
#include "kernels/cuda/tensor_map.h"
#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace reelbrush::kernels {

/// Heads of at most this many channels.
constexpr int kMaxHopperHead = 160;
/// Each costs the kernel two maps among its parameters.
constexpr int kMaxHopperSegments = 8;

/// Keys and values of a problem as the copy units see them: channels of a head, heads, tokens, samples.
struct AttentionMaps {
    CUtensorMap k[kMaxHopperSegments], v[kMaxHopperSegments];
};

/// A kernel for compute capability 9.0, its products and copies asynchronous, for one type, head size and division of
/// the work.
struct HopperAttention {
    std::string name;  ///< of the division: "hopper 4x64" has four times 64 queries a block, tiles of 64 keys
    int tileKeys = 0;
    int sharedBytes = 0;
    /// Queues it. maps: of boxes of 64 channels and tileKeys tokens.
    void (*launch)(const AttentionProblem& problem, const AttentionMaps& maps, cudaStream_t stream) = nullptr;
    const void* kernel = nullptr;

    /// Errors: those of the CUDA runtime.
    Status prepare() const;
    /// Maps of the problem's keys and values, as its addresses are now. Errors: Unsupported.
    Result<AttentionMaps> mapsOf(const AttentionProblem& problem, DType type) const;
};

/// Whether these kernels compute the problem, given what attention_flash.h asks for.
bool suitsHopper(const AttentionProblem& problem);

/// The divisions to try for a problem of F16 or BF16 for which suitsHopper() is true.
std::vector<HopperAttention> hopperAttentions(const AttentionProblem& problem, DType type);

/// The same of one type, for a head size up to kMaxHopperHead.
std::vector<HopperAttention> hopperAttentionsF16(int headSize);
std::vector<HopperAttention> hopperAttentionsBf16(int headSize);

}  // namespace reelbrush::kernels
