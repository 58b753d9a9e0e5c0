#include "kernels/cuda/convolution_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr const char* kFused = "fused";  ///< with the epilogue
constexpr const char* kPlain = "plain";  ///< the convolution alone

struct Mode {
    const char* name;
    cudnnBackendHeurMode_t mode;
};
constexpr std::array kModes{Mode{"A", CUDNN_HEUR_MODE_A}, Mode{"B", CUDNN_HEUR_MODE_B},
                            Mode{"fallback", CUDNN_HEUR_MODE_FALLBACK}};

/// Compiling kernels takes long; after that, what has been found must do.
constexpr std::chrono::milliseconds kPatience{500};

/// What follows a convolution often has kernels in the library; for other activations it compiles one, which is worth
/// the wait for large layers only, and of f32 values is never fast.
bool isWorthFusing(const ConvolutionShape& shape, bool isLarge) {
    if (!shape.hasEpilogue()) return false;
    if (shape.activation == Activation::None || shape.activation == Activation::Relu) return true;
    return isLarge && shape.type != DType::F32;
}

std::string nameFor(const std::string& variant, const Mode& mode, std::size_t index) {
    return fmt::format("{} {} {}", variant, mode.name, index);
}

}  // namespace

Result<std::shared_ptr<const ConvolutionPlan>> ConvolutionPlans::keep(const std::string& key, const Build& build) {
    auto& known = known_[key];
    if (auto plan = known.lock()) return plan;
    RB_ASSIGN(auto plan, build());
    known = plan;
    return plan;
}

std::vector<NamedPlan> ConvolutionPlans::ofVariant(const ConvolutionShape& shape, const std::string& variant,
                                                   std::size_t most, const CudaContext& context) {
    std::vector<NamedPlan> plans;
    auto described = ConvolutionGraph::create(shape, context);
    if (!described) return plans;
    const std::shared_ptr<const ConvolutionGraph> graph = std::move(*described);
    const auto start = std::chrono::steady_clock::now();
    for (const Mode& mode : kModes) {
        auto engines = proposedEngines(*graph, mode.mode);
        for (std::size_t i = 0; engines && i < engines->size(); ++i) {
            if (plans.size() >= most) return plans;
            if (!plans.empty() && std::chrono::steady_clock::now() - start > kPatience) return plans;
            const std::string name = nameFor(variant, mode, i);
            auto plan = keep(shape.key() + " " + name,
                             [&] { return ConvolutionPlan::build(graph, std::move((*engines)[i]), context); });
            if (plan) plans.push_back({name, *std::move(plan)});
        }
        if (!plans.empty()) return plans;
    }
    return plans;
}

std::vector<NamedPlan> ConvolutionPlans::candidates(const ConvolutionShape& shape, std::size_t most,
                                                    const CudaContext& context) {
    std::vector<NamedPlan> plans;
    if (isWorthFusing(shape, most > 1)) plans = ofVariant(shape, kFused, most, context);
    if (plans.empty() || most > 1)
        for (NamedPlan& plan : ofVariant(shape.withoutEpilogue(), kPlain, most, context))
            plans.push_back(std::move(plan));
    return plans;
}

Result<std::shared_ptr<const ConvolutionPlan>> ConvolutionPlans::named(const ConvolutionShape& shape,
                                                                       const std::string& name,
                                                                       const CudaContext& context) {
    const auto missing = fail(StatusCode::Unsupported, "cuDNN has no engine '" + name + "' here");
    std::istringstream words(name);
    std::string variant, modeName;
    std::size_t index = 0;
    if (!(words >> variant >> modeName >> index) || (variant != kFused && variant != kPlain)) return missing;
    const auto mode = std::ranges::find_if(kModes, [&](const Mode& known) { return known.name == modeName; });
    if (mode == kModes.end()) return missing;
    const ConvolutionShape part = variant == kFused ? shape : shape.withoutEpilogue();
    return keep(part.key() + " " + name, [&]() -> Result<std::shared_ptr<const ConvolutionPlan>> {
        RB_ASSIGN(std::shared_ptr<const ConvolutionGraph> graph, ConvolutionGraph::create(part, context));
        RB_ASSIGN(auto engines, proposedEngines(*graph, mode->mode));
        if (index >= engines.size()) return missing;
        return ConvolutionPlan::build(std::move(graph), std::move(engines[index]), context);
    });
}

}  // namespace reelbrush::kernels
