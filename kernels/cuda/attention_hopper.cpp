#include "kernels/cuda/attention_hopper.h"

#include "kernels/cuda/cuda_status.h"

namespace reelbrush::kernels {

namespace {

constexpr std::uint32_t kBoxChannels = 64;
constexpr std::uint64_t kValueBytes = 2;

struct TokenRows {
    const void* address;
    std::int64_t batchStride;
    int rowStride, tokens;
};

TensorBoxes boxesOf(const AttentionProblem& problem, const TokenRows& rows, DType type, int tileKeys) {
    const auto rowBytes = static_cast<std::uint64_t>(rows.rowStride) * kValueBytes;
    const auto tokens = static_cast<std::uint64_t>(rows.tokens);
    const bool isShared = rows.batchStride == 0;
    TensorBoxes boxes;
    boxes.address = rows.address;
    boxes.type = type;
    boxes.extents = {static_cast<std::uint64_t>(problem.headSize), static_cast<std::uint64_t>(problem.heads), tokens,
                     isShared ? 1 : static_cast<std::uint64_t>(problem.batch)};
    boxes.strideBytes = {static_cast<std::uint64_t>(problem.headSize) * kValueBytes, rowBytes,
                         isShared ? rowBytes * tokens : static_cast<std::uint64_t>(rows.batchStride) * kValueBytes};
    boxes.box = {kBoxChannels, 1, static_cast<std::uint32_t>(tileKeys), 1};
    return boxes;
}

}  // namespace

Status HopperAttention::prepare() const {
    return cudaStatus(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes),
                      "preparing an attention");
}

Result<AttentionMaps> HopperAttention::mapsOf(const AttentionProblem& problem, DType type) const {
    AttentionMaps maps{};
    for (int i = 0; i < problem.segmentCount; ++i) {
        const AttentionSegment& segment = problem.segments[i];
        const TokenRows k{segment.k, segment.kBatchStride, segment.kRowStride, segment.tokens};
        const TokenRows v{segment.v, segment.vBatchStride, segment.vRowStride, segment.tokens};
        RB_ASSIGN(maps.k[i], mapOf(boxesOf(problem, k, type, tileKeys)));
        RB_ASSIGN(maps.v[i], mapOf(boxesOf(problem, v, type, tileKeys)));
    }
    return maps;
}

bool suitsHopper(const AttentionProblem& problem) {
    return problem.headSize <= kMaxHopperHead && !problem.causal && problem.segmentCount <= kMaxHopperSegments;
}

std::vector<HopperAttention> hopperAttentions(const AttentionProblem& problem, DType type) {
    return type == DType::F16 ? hopperAttentionsF16(problem.headSize) : hopperAttentionsBf16(problem.headSize);
}

}  // namespace reelbrush::kernels
