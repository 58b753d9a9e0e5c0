#include "kernels/cuda/weight_residency.h"

namespace reelbrush::kernels {

void WeightResidency::keep(const WeightPlacement& placement) {
    placement_ = placement;
    ring_.reset();
    owedBytes_ = 0.0;
}

bool WeightResidency::nextIsStreamed(std::size_t bytes) {
    const auto size = static_cast<double>(bytes);
    owedBytes_ += placement_.streamedShare * size;
    if (bytes > placement_.ringBytes || owedBytes_ < 0.5 * size) return false;
    owedBytes_ -= size;
    return true;
}

Result<std::shared_ptr<WeightRing>> WeightResidency::ring() {
    if (auto ring = ring_.lock()) return ring;
    RB_ASSIGN(std::shared_ptr<WeightRing> ring, WeightRing::create(placement_.ringBytes, budget_, compute_));
    ring_ = ring;
    return ring;
}

}  // namespace reelbrush::kernels
