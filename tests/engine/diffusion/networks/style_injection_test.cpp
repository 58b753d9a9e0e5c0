#include "engine/diffusion/networks/style_injection.h"

#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/networks/unet_graph.h"
#include "engine/weights/diffusion_model.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {
namespace {

/// The miniature UNet with injection: what each run is given, and what comes out.
class StyleInjection : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto model =
            weights::openDiffusionModel(testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors");
        ASSERT_TRUE(model) << model.error().message;
        weights_ = model->unet.weights;
        const auto config = UnetConfig::fromJson(model->unet.config);
        ASSERT_TRUE(config);
        config_ = *config;
        auto both = golden_.image("unet.sample");
        frame_.assign(both.begin(), both.begin() + 8 * 16 * 4);
        painting_.assign(both.begin() + 8 * 16 * 4, both.end());
        context_ = golden_.values("text.last_hidden_state");
        context_.resize(77 * 16);
    }

    static std::vector<float> joined(const std::vector<float>& a, const std::vector<float>& b) {
        auto all = a;
        all.insert(all.end(), b.begin(), b.end());
        return all;
    }

    std::vector<float> plain(const std::vector<float>& latents) {
        kernels::Graph graph;
        UnetInputs inputs;
        inputs.latents = graph.input("latents", {1, 8, 16, 4});
        inputs.conditions.timestep = graph.input("timestep", {1});
        inputs.context = graph.input("context", {1, 77, 16});
        graph.output("out", buildUnet(graph, config_, inputs));
        const auto out = runOnce(std::move(graph), *weights_, backend_,
                                 {{"latents", latents}, {"timestep", {500}}, {"context", context_}});
        return out.value().at("out");
    }

    NamedTensors injected(const std::vector<float>& frame, const std::vector<float>& painting, NamedTensors style,
                          float blend, float temperature) {
        kernels::Graph graph;
        UnetInputs inputs;
        inputs.latents = graph.input("latents", {2, 8, 16, 4});
        inputs.conditions.timestep = graph.input("timestep", {1});
        inputs.context = graph.input("context", {2, 77, 16});
        layers_.clear();
        graph.output("out", buildUnet(graph, config_, inputs, withStyleInjection({}, graph, config_, layers_)));
        EXPECT_TRUE(graph.status());
        for (const InjectedLayer& layer : layers_)
            for (const auto& name : {layer.keyName(), layer.valueName()})
                if (!style.contains(name))
                    style.emplace(name, std::vector<float>(static_cast<std::size_t>(layer.shape.elements())));
        style.erase("out");
        style["latents"] = joined(frame, painting);
        style["timestep"] = {500};
        style["context"] = joined(context_, context_);
        style[kInjectionMix] = {temperature * blend, temperature * (1 - blend)};
        return runOnce(std::move(graph), *weights_, backend_, style).value();
    }

    static std::vector<float> half(const std::vector<float>& both, int which) {
        const auto size = static_cast<std::ptrdiff_t>(both.size() / 2);
        return {both.begin() + which * size, both.begin() + (which + 1) * size};
    }

    testing::GoldenTensors golden_{testing::fixturesFolder() / "sd15-tiny" / "golden.safetensors"};
    std::shared_ptr<const weights::ListedWeights> weights_;
    UnetConfig config_;
    kernels::CpuBackend backend_{kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32}};
    std::vector<float> frame_, painting_, context_;
    std::vector<InjectedLayer> layers_;
};

TEST_F(StyleInjection, TouchesTheFinerDecoderBlocks) {
    injected(frame_, painting_, {}, 0, 1);
    ASSERT_EQ(layers_.size(), 6u);
    EXPECT_EQ(layers_[0].module, "up_blocks.2.attentions.0.transformer_blocks.0.attn1");
    EXPECT_EQ(layers_[0].shape, (kernels::Shape{1, 4 * 8, 32}));
    EXPECT_EQ(layers_[5].module, "up_blocks.3.attentions.2.transformer_blocks.0.attn1");
    EXPECT_EQ(layers_[5].shape, (kernels::Shape{1, 8 * 16, 32}));
}

TEST_F(StyleInjection, TheFrameIsPaintedAsEver) {
    const auto out = injected(frame_, painting_, {}, 0.3f, 1.5f);
    EXPECT_LE(testing::agreement("frame", half(out.at("out"), 0), plain(frame_)).relativeError, 1e-5);
}

TEST_F(StyleInjection, OnesOwnKeysAndQueriesChangeNothing) {
    // As member 0 the painting gives away its own keys and values.
    const auto own = injected(painting_, painting_, {}, 0, 1);
    const auto out = injected(frame_, painting_, own, 0, 1);
    EXPECT_LE(testing::agreement("own style", half(out.at("out"), 1), plain(painting_)).relativeError, 1e-5);
}

TEST_F(StyleInjection, AStyleBlendAndTemperatureAct) {
    auto style = painting_;
    for (float& value : style) value = -0.5f * value;
    const auto given = injected(style, style, {}, 0, 1);
    const auto out = [&](float blend, float temperature) {
        return half(injected(frame_, painting_, given, blend, temperature).at("out"), 1);
    };
    const auto basis = out(0, 1);
    EXPECT_GT(testing::agreement("style", basis, plain(painting_)).relativeError, 1e-3);
    EXPECT_GT(testing::agreement("blend", out(0.75f, 1), basis).relativeError, 1e-4);
    EXPECT_GT(testing::agreement("temperature", out(0, 1.5f), basis).relativeError, 1e-4);
}

/// One attention by hand: two tokens, one head of two channels.
TEST(InjectedAttention, IsWhatItSays) {
    kernels::Graph graph;
    const auto q = graph.input("q", {2, 2, 2}), k = graph.input("k", {2, 2, 2}), v = graph.input("v", {2, 2, 2});
    UnetConfig config;
    config.levels = {{.channels = 2, .heads = 1}};
    std::vector<InjectedLayer> layers;
    const auto hooks = withStyleInjection({}, graph, config, layers);
    const auto mix = hooks.attentions("up_blocks.0.attentions.0").self;
    ASSERT_TRUE(mix);
    EXPECT_FALSE(hooks.attentions("down_blocks.0.attentions.0").self);
    const ModuleScope scope(graph, "up_blocks.0.attentions.0.transformer_blocks.0.attn1");
    graph.output("out", mix(scope, q, k, v, {.channels = 2, .heads = 1}));
    ASSERT_TRUE(graph.status()) << graph.status().error().message;

    const std::vector<float> queries{1, 0, 0, 1, 2, 1, -1, 0.5f}, keys{1, 2, 3, 4, 5, 6, 7, 8};
    const std::vector<float> styleKey{0.5f, -1, 2, 0.25f}, styleValue{1, 2, 3, 5};
    const float blend = 0.25f, temperature = 1.5f;
    kernels::CpuBackend backend(kernels::CpuOptions{.threads = 1, .precision = kernels::Precision::Float32});
    class NoWeights final : public kernels::WeightProvider {
        Result<kernels::WeightView> find(std::string_view) const override { return fail(StatusCode::BadInput, ""); }
        bool contains(std::string_view) const override { return false; }
    } none;
    const auto out = runOnce(std::move(graph), none, backend,
                             {{"q", queries},
                              {"k", keys},
                              {"v", keys},
                              {layers.at(0).keyName(), styleKey},
                              {layers.at(0).valueName(), styleValue},
                              {kInjectionMix, {temperature * blend, temperature * (1 - blend)}}});
    ASSERT_TRUE(out) << out.error().message;
    for (std::size_t token = 0; token < 2; ++token) {
        double query[2], score[2];
        for (std::size_t c = 0; c < 2; ++c)
            query[c] = blend * queries[token * 2 + c] + (1 - blend) * queries[4 + token * 2 + c];
        for (std::size_t j = 0; j < 2; ++j)
            score[j] =
                std::exp(temperature * (query[0] * styleKey[j * 2] + query[1] * styleKey[j * 2 + 1]) / std::sqrt(2.0));
        for (std::size_t c = 0; c < 2; ++c)
            EXPECT_NEAR(out->at("out")[4 + token * 2 + c],
                        (score[0] * styleValue[c] + score[1] * styleValue[2 + c]) / (score[0] + score[1]), 1e-5);
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
