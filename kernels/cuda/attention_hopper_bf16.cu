#include "kernels/cuda/attention_hopper_choice.cuh"

namespace reelbrush::kernels {

std::vector<HopperAttention> hopperAttentionsBf16(int headSize) {
    return hopperAttentionsOfType<__nv_bfloat16>(headSize);
}

}  // namespace reelbrush::kernels
