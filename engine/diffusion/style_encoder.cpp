#include "engine/diffusion/style_encoder.h"

#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/starter_graphs.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

using namespace kernels;

Result<std::vector<float>> encodeStyle(const StarterModel& model, std::span<const float> picture, Backend& backend) {
    const auto size = static_cast<std::size_t>(model.imageEncoderConfig.imageSize);
    if (picture.size() != size * size * 3)
        return fail(StatusCode::BadInput,
                    fmt::format("a style picture must be {0}x{0} RGB, got {1} values", size, picture.size()));
    RB_ASSIGN(const NamedTensors seen, runOnce(starterVisionGraph(model), *model.imageEncoder, backend,
                                               {{"picture", normalisedForClip(picture)}}));
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
