#include "engine/weights/layouts/scheduler_inference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

namespace {

std::string_view metadataValue(const Metadata& metadata, std::string_view key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<Prediction> fromMetadata(const Metadata& metadata) {
    const std::string_view stated = metadataValue(metadata, "modelspec.prediction_type");
    if (stated == "v" || stated == "v_prediction" || stated == "v-prediction") return Prediction::VPrediction;
    if (stated == "epsilon") return Prediction::Epsilon;
    const std::string_view architecture = metadataValue(metadata, "modelspec.architecture");
    if (architecture.starts_with("stable-diffusion-v2-768-v")) return Prediction::VPrediction;
    if (architecture.starts_with("stable-diffusion-v2-512")) return Prediction::Epsilon;
    return std::nullopt;
}

/// SD 2.x at 512 (epsilon) and at 768 (v) have the same names and shapes. What differs is how far training spread this
/// bias: the threshold is the one that ComfyUI has used since 2023.
bool looksLikeV768(const ListedWeights& unet) {
    constexpr const char* kBias = "up_blocks.3.attentions.2.transformer_blocks.0.norm1.bias";
    constexpr double kSpread = 0.09;
    if (!unet.contains(kBias)) return false;
    const auto view = unet.find(kBias);
    if (!view || view->shape.elements() == 0) return false;
    std::vector<float> values(static_cast<std::size_t>(view->shape.elements()));
    view->toFloat(values.data());
    double sum = 0, squares = 0;
    for (const float value : values) {
        sum += value;
        squares += static_cast<double>(value) * value;
    }
    const auto count = static_cast<double>(values.size());
    const double mean = sum / count;
    return std::sqrt(std::max(0.0, squares / count - mean * mean)) > kSpread;
}

}  // namespace

Prediction inferPrediction(const TrainingHints& hints) {
    if (hints.asked != Prediction::Auto) return hints.asked;
    if (hints.stored && hints.stored->contains("v_pred")) return Prediction::VPrediction;
    if (hints.metadata)
        if (const auto stated = fromMetadata(*hints.metadata)) return *stated;
    // The published inpainting models of SD 2.x predict epsilon.
    if (hints.family == BaseFamily::Sd2 && hints.variant == ModelVariant::Plain && hints.unet &&
        looksLikeV768(*hints.unet))
        return Prediction::VPrediction;
    return Prediction::Epsilon;
}

nlohmann::json inferSchedulerConfig(const TrainingHints& hints) {
    const bool zeroSnr = hints.stored && hints.stored->contains("ztsnr");
    return nlohmann::json{
        {"_class_name", "DDIMScheduler"},
        {"num_train_timesteps", 1000},
        {"beta_start", 0.00085},
        {"beta_end", 0.012},
        {"beta_schedule", "scaled_linear"},
        {"prediction_type", inferPrediction(hints) == Prediction::VPrediction ? "v_prediction" : "epsilon"},
        {"rescale_betas_zero_snr", zeroSnr},
        {"timestep_spacing", zeroSnr ? "trailing" : "leading"},
        {"clip_sample", false},
        {"set_alpha_to_one", false},
        {"steps_offset", 1},
    };
}

}  // namespace reelbrush::weights
