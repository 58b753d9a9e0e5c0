#include "engine/diffusion/sampling/guidance.h"

#include <cmath>

namespace reelbrush::diffusion {

namespace {

double spread(std::span<const float> values) {
    double sum = 0.0, squares = 0.0;
    for (float value : values) sum += value;
    const double mean = sum / static_cast<double>(values.size());
    for (float value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

float fallingGuidance(float guidance, std::size_t step, std::size_t steps, float power) {
    const float left = 1.0f - static_cast<float>(step) / static_cast<float>(steps);
    return guidance * std::pow(left, power);
}

void guide(std::span<const float> plain, std::span<const float> prompted, float guidance, std::span<float> out) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = plain[k] + guidance * (prompted[k] - plain[k]);
}

void guideEdit(const EditPredictions& predictions, float textGuidance, float pictureGuidance, std::span<float> out) {
    const auto& [plain, pictured, both] = predictions;
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = plain[k] + pictureGuidance * (pictured[k] - plain[k]) + textGuidance * (both[k] - pictured[k]);
}

void rescaleGuidance(std::span<const float> prompted, float share, std::size_t pictures, std::span<float> guided) {
    const std::size_t size = pictures == 0 ? 0 : guided.size() / pictures;
    for (std::size_t n = 0; size > 0 && n < pictures; ++n) {
        const auto part = guided.subspan(n * size, size);
        const double guidedSpread = spread(part);
        if (guidedSpread <= 0.0) continue;
        const double ratio = spread(prompted.subspan(n * size, size)) / guidedSpread;
        const auto scale = static_cast<float>(share * ratio + (1.0 - share));
        for (float& value : part) value *= scale;
    }
}

}  // namespace reelbrush::diffusion
