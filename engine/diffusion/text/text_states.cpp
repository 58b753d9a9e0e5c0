#include "engine/diffusion/text/text_states.h"

#include "engine/diffusion/networks/run_once.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr int kLayersAtOnce = 4;  // 320 MB of OpenCLIP bigG in f32

/// A part of the encoder: from its input [texts, positions, hiddenSize] to its outputs by name.
using Part = std::function<void(Graph&, Value)>;

class Runner {
  public:
    Runner(const TextEncoderConfig& config, const weights::ListedWeights& weights, Backend& backend,
           const TextStatesRequest& request)
        : config_(config), weights_(weights), backend_(backend), texts_(request.texts), cancel_(request.cancel) {}

    Result<NamedTensors> run(const std::vector<float>& input, const Part& part) {
        RB_TRY(cancel_.check());
        Graph graph;
        part(graph, graph.input("in", {texts_, config_.positions, config_.hiddenSize}));
        RB_ASSIGN(NamedTensors outputs, runOnce(std::move(graph), weights_, backend_, {{"in", input}}));
        weights_.dropPages();
        return outputs;
    }

    /// Layers [first, end).
    Result<std::vector<float>> layers(std::vector<float> hidden, int first, int end) {
        while (first < end) {
            const TextLayers some{first, std::min(kLayersAtOnce, end - first)};
            RB_ASSIGN(NamedTensors outputs, run(hidden, [&](Graph& graph, Value x) {
                          graph.output("out", addTextLayers(graph, config_, x, some));
                      }));
            hidden = std::move(outputs.at("out"));
            first += some.count;
        }
        return hidden;
    }

  private:
    const TextEncoderConfig& config_;
    const weights::ListedWeights& weights_;
    Backend& backend_;
    int texts_;
    CancelToken cancel_;
};

}  // namespace

Result<TextStates> computeTextStates(const TextEncoderConfig& config, const weights::ListedWeights& weights,
                                     TextStatesRequest request, Backend& backend) {
    Runner runner(config, weights, backend, request);
    const int contextLayers = config.layers - request.layersLeftOut;
    RB_ENSURE(contextLayers > 0 && request.layersLeftOut >= 0, "a text encoder was asked for a layer that it lacks");
    RB_ASSIGN(NamedTensors placed, runner.run(request.tokens, [&](Graph& graph, Value x) {
        graph.output("out", addTextPositions(graph, config, x));
    }));
    RB_ASSIGN(std::vector<float> hidden, runner.layers(std::move(placed.at("out")), 0, contextLayers));
    TextStates states;
    states.context = hidden;
    if (request.finalNorm) {
        RB_ASSIGN(NamedTensors normed, runner.run(hidden, [&](Graph& graph, Value x) {
            graph.output("out", addFinalTextNorm(graph, config, x));
        }));
        states.context = std::move(normed.at("out"));
    }
    if (!request.projected) return states;
    RB_ASSIGN(hidden, runner.layers(std::move(hidden), contextLayers, config.layers));
    RB_ASSIGN(NamedTensors projected, runner.run(hidden, [&](Graph& graph, Value x) {
        graph.output("out", addTextProjection(graph, config, addFinalTextNorm(graph, config, x)));
    }));
    states.projected = std::move(projected.at("out"));
    return states;
}

Status readTokenEmbedding(const TextEncoderConfig& config, const WeightProvider& weights, int token, float* values) {
    const char* name = "text_model.embeddings.token_embedding.weight";
    RB_ASSIGN(WeightView view, weights.find(name));
    const Shape expected{config.vocabulary, config.hiddenSize};
    if (!(view.shape == expected))
        return fail(StatusCode::BadInput, fmt::format("Weight '{}' has the shape {} where the model needs {}.", name,
                                                      view.shape.toString(), expected.toString()));
    if (token < 0 || token >= config.vocabulary)
        return fail(StatusCode::BadInput,
                    fmt::format("the text encoder knows {} tokens, but the prompt needs token {}: this is no encoder "
                                "of CLIP's vocabulary",
                                config.vocabulary, token));
    const auto row = static_cast<std::size_t>(token);
    const std::size_t rowBytes = static_cast<std::size_t>(config.hiddenSize) * sizeOf(view.dtype);
    view.data = static_cast<const std::byte*>(view.data) + row * rowBytes;
    view.shape = Shape{1, config.hiddenSize};
    if (view.rowScales) view.rowScales += row;
    view.toFloat(values);
    return {};
}

}  // namespace reelbrush::diffusion
