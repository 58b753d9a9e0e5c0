#include "kernels/cuda/attention_flash_choice.cuh"

namespace reelbrush::kernels {

Result<FlashLaunch> chooseFlashBf16(const AttentionProblem& problem, int multiprocessors) {
    return chooseFlashOfType<__nv_bfloat16>(problem, multiprocessors);
}

}  // namespace reelbrush::kernels
