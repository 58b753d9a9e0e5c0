#include "kernels/cuda/attention_hopper_choice.cuh"

namespace reelbrush::kernels {

std::vector<HopperAttention> hopperAttentionsF16(int headSize) {
    return hopperAttentionsOfType<__half>(headSize);
}

}  // namespace reelbrush::kernels
