#include "engine/session/benchmark_networks.h"

#include "engine/diffusion/full_model.h"
#include "engine/diffusion/networks/text_encoder.h"
#include "engine/diffusion/networks/unet_graph.h"
#include "engine/diffusion/starter_graphs.h"
#include "engine/diffusion/vae/codec_graphs.h"
#include "engine/session/benchmark_configs.h"
#include "engine/weights/diffusion_model.h"
#include "kernels/plan/random_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace reelbrush::session {

namespace {

using kernels::Graph, kernels::Value;
using Weights = std::shared_ptr<const kernels::WeightProvider>;

/// Gives pages of mapped files back while a model is packed, so that it never lies in memory twice.
class ReleasedWeights final : public kernels::WeightProvider {
  public:
    explicit ReleasedWeights(std::shared_ptr<const weights::ListedWeights> inner) : inner_(std::move(inner)) {}
    Result<kernels::WeightView> find(std::string_view name) const override {
        constexpr std::size_t kReleaseBytes = std::size_t{64} << 20;
        if (unreleasedBytes_ > kReleaseBytes) {
            inner_->dropPages();
            unreleasedBytes_ = 0;
        }
        auto view = inner_->find(name);
        if (view) unreleasedBytes_ += static_cast<std::size_t>(view->shape.elements()) * sizeOf(view->dtype);
        return view;
    }
    bool contains(std::string_view name) const override { return inner_->contains(name); }

  private:
    std::shared_ptr<const weights::ListedWeights> inner_;
    mutable std::size_t unreleasedBytes_ = 0;
};

/// Configurations of a full model, and its files; random weights where a part has none.
struct FullNetworks {
    diffusion::UnetConfig unet;
    nlohmann::json vae;
    std::vector<diffusion::TextEncoderConfig> texts;
    std::shared_ptr<const weights::ListedWeights> unetWeights, vaeWeights;
    std::vector<std::shared_ptr<const weights::ListedWeights>> textWeights;
};

Weights weightsFor(const Graph& graph, const std::shared_ptr<const weights::ListedWeights>& stored) {
    if (stored) return std::make_shared<ReleasedWeights>(stored);
    return std::make_shared<kernels::RandomWeights>(graph);
}

/// Batches as they are painted: one frame, one frame with guidance, several frames without.
struct StepBatch {
    int prompts = 1, frames = 1;
    std::string name = "unet step";
};

StepBatch stepBatch(int batch) {
    if (batch == 1) return {};
    if (batch == 2) return {2, 1, "unet step guided"};
    return {1, batch, fmt::format("unet step x{}", batch)};
}

BenchmarkNetwork network(std::string stage, Graph graph, const std::shared_ptr<const weights::ListedWeights>& stored) {
    Weights weights = weightsFor(graph, stored);
    return {std::move(stage), std::move(graph), std::move(weights)};
}

Graph unetGraph(const diffusion::UnetConfig& config, int width, int height, const StepBatch& batch) {
    constexpr int kTokens = 77, kPixelsPerLatent = 8, kTimeIds = 6;
    Graph graph;
    diffusion::UnetInputs inputs;
    inputs.latents =
        graph.input("latents", {batch.frames, height / kPixelsPerLatent, width / kPixelsPerLatent, config.inChannels});
    inputs.conditions.timestep = graph.input("timestep", {1});
    inputs.context = graph.input("context", {batch.prompts, kTokens, config.contextChannels});
    if (config.pooledChannels > 0) {
        inputs.conditions.pooled = graph.input("pooled", {batch.prompts, config.pooledChannels});
        inputs.conditions.timeIds = graph.input("timeIds", {1, kTimeIds});
    }
    graph.output("prediction", diffusion::buildUnet(graph, config, inputs));
    return graph;
}

Graph textGraph(const diffusion::TextEncoderConfig& config) {
    Graph graph;
    Value hidden = graph.input("tokens", {1, config.positions, config.hiddenSize});
    hidden = diffusion::addTextPositions(graph, config, hidden);
    hidden = diffusion::addTextLayers(graph, config, hidden, {0, config.layers});
    graph.output("context", diffusion::addFinalTextNorm(graph, config, hidden));
    return graph;
}

Result<FullNetworks> openFullModel(const std::filesystem::path& path) {
    FullNetworks networks;
    RB_ASSIGN(const auto files, weights::openDiffusionModel(path));
    RB_ASSIGN(networks.unet, diffusion::UnetConfig::fromJson(files.unet.config));
    networks.unetWeights = files.unet.weights;
    networks.vae = files.vae.config;
    networks.vaeWeights = files.vae.weights;
    for (const weights::ModelPart* part : {&files.textEncoder, &files.textEncoder2}) {
        if (!part->weights) continue;
        RB_ASSIGN(const auto config, diffusion::TextEncoderConfig::fromJson(part->config));
        networks.texts.push_back(config);
        networks.textWeights.push_back(part->weights);
    }
    return networks;
}

FullNetworks randomModel(BenchmarkWeights kind) {
    FullNetworks networks;
    const bool isXl = kind == BenchmarkWeights::RandomSdxl;
    networks.unet = isXl ? sdxlUnetConfig() : sd15UnetConfig();
    networks.vae = vaeConfig(isXl);
    networks.texts = isXl ? sdxlTextConfigs() : sd15TextConfigs();
    networks.textWeights.resize(networks.texts.size());
    return networks;
}

Result<std::vector<BenchmarkNetwork>> fullStages(const FullNetworks& model, const BenchmarkOptions& options) {
    const auto wants = [&](BenchmarkStages stages) {
        return options.stages == BenchmarkStages::All || options.stages == stages;
    };
    const bool isRandom = options.weights != BenchmarkWeights::Stored;
    std::vector<BenchmarkNetwork> stages;
    if (wants(BenchmarkStages::Text))
        for (std::size_t i = 0; i < model.texts.size(); ++i)
            stages.push_back(
                network(i == 0 ? "text encoder" : "text encoder 2", textGraph(model.texts[i]), model.textWeights[i]));
    const bool hasVae = wants(BenchmarkStages::Vae) && (isRandom || model.vaeWeights);
    std::optional<diffusion::CodecGraphs> codec;
    if (hasVae) {
        RB_ASSIGN(codec, diffusion::buildCodec(model.vae, options.width, options.height));
        stages.push_back(network("vae encode", std::move(codec->encoder), model.vaeWeights));
    }
    if (wants(BenchmarkStages::Unet))
        for (const int size : options.batches) {
            const StepBatch batch = stepBatch(size);
            stages.push_back(
                network(batch.name, unetGraph(model.unet, options.width, options.height, batch), model.unetWeights));
        }
    if (hasVae) stages.push_back(network("vae decode", std::move(codec->decoder), model.vaeWeights));
    return stages;
}

Result<std::vector<BenchmarkNetwork>> starterStages(const BenchmarkOptions& options) {
    RB_ASSIGN(const auto model, diffusion::StarterModel::open(options.model));
    const int width = options.width, height = options.height;
    const auto wants = [&](BenchmarkStages stages) {
        return options.stages == BenchmarkStages::All || options.stages == stages;
    };
    std::vector<BenchmarkNetwork> stages;
    if (wants(BenchmarkStages::Vae))
        stages.push_back({"vae encode", diffusion::starterEncodeGraph(model, {width, height}), model.vae});
    if (wants(BenchmarkStages::Unet))
        for (const int size : options.batches) {
            const auto [prompts, frames, name] = stepBatch(size);
            stages.push_back(
                {name, diffusion::starterDenoiseGraph(model, {width, height, frames, prompts}), model.unet});
        }
    if (wants(BenchmarkStages::Vae))
        stages.push_back({"vae decode", diffusion::starterDecodeGraph(model, {width, height}), model.vae});
    if (wants(BenchmarkStages::Text))
        stages.push_back({"style tokens", diffusion::starterVisionGraph(model), model.imageEncoder});
    return stages;
}

bool isStarter(const BenchmarkOptions& options) {
    return options.weights == BenchmarkWeights::Stored && diffusion::isStarterModel(options.model);
}

}  // namespace

Result<std::vector<BenchmarkNetwork>> benchmarkNetworks(const BenchmarkOptions& options) {
    if (isStarter(options)) return starterStages(options);
    FullNetworks model = randomModel(options.weights);
    if (options.weights == BenchmarkWeights::Stored) {
        RB_ASSIGN(model, openFullModel(options.model));
    }
    RB_ASSIGN(auto stages, fullStages(model, options));
    if (stages.empty()) return fail(StatusCode::BadInput, "the model lacks the part that is to be measured");
    return stages;
}

BenchmarkOptions roundedForModel(BenchmarkOptions options) {
    const int step = isStarter(options) ? 16 : 64;
    for (int* size : {&options.width, &options.height}) *size = std::max(step, (*size + step - 1) / step * step);
    return options;
}

}  // namespace reelbrush::session
