#include "engine/diffusion/style_encoder.h"

#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/starter_graphs.h"

#include <fmt/format.h>

#include <array>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

// CLIP's preprocessing (openai/CLIP).
constexpr std::array<float, 3> kMean{0.48145466f, 0.4578275f, 0.40821073f};
constexpr std::array<float, 3> kDeviation{0.26862954f, 0.26130258f, 0.27577711f};

}  // namespace

Result<std::vector<float>> encodeStyle(const StarterModel& model, std::span<const float> picture, Backend& backend) {
    const auto size = static_cast<std::size_t>(model.imageEncoderConfig.imageSize);
    if (picture.size() != size * size * 3)
        return fail(StatusCode::BadInput,
                    fmt::format("a style picture must be {0}x{0} RGB, got {1} values", size, picture.size()));
    std::vector<float> normalised(picture.size());
    for (std::size_t i = 0; i < picture.size(); ++i) normalised[i] = (picture[i] - kMean[i % 3]) / kDeviation[i % 3];
    RB_ASSIGN(const NamedTensors seen,
              runOnce(starterVisionGraph(model), *model.imageEncoder, backend, {{"picture", std::move(normalised)}}));
    RB_ASSIGN(NamedTensors projected, runOnce(starterResamplerGraph(model), *model.resampler, backend, seen));
    return std::move(projected.at("tokens"));
}

Result<std::vector<float>> nullStyleTokens(const StarterModel& model) {
    RB_ASSIGN(const WeightView view, model.resampler->find("null_tokens"));
    const Shape expected{1, model.resamplerConfig.queries, model.resamplerConfig.outChannels};
    if (!(view.shape == expected))
        return fail(StatusCode::BadInput, fmt::format("null_tokens must have the shape {}, got {}", expected.toString(),
                                                      view.shape.toString()));
    std::vector<float> tokens(static_cast<std::size_t>(expected.elements()));
    view.toFloat(tokens.data());
    return tokens;
}

}  // namespace reelbrush::diffusion
