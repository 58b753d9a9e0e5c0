#include "kernels/cuda/attention_flash_choice.cuh"

namespace reelbrush::kernels {

Result<FlashLaunch> chooseFlashF16(const AttentionProblem& problem, int multiprocessors) {
    return chooseFlashOfType<__half>(problem, multiprocessors);
}

Result<FlashLaunch> chooseFlash(const AttentionProblem& problem, DType type, int multiprocessors) {
    return type == DType::F16 ? chooseFlashF16(problem, multiprocessors) : chooseFlashBf16(problem, multiprocessors);
}

}  // namespace reelbrush::kernels
