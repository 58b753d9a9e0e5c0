#include "engine/core/xdg_folders.h"
#include "engine/diffusion/frame_painter.h"
#include "engine/diffusion/networks/autoencoder_kl.h"
#include "engine/diffusion/networks/ip_adapter.h"
#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/networks/tiny_autoencoder.h"
#include "engine/diffusion/networks/unet_graph.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/ip_adapter.h"
#include "kernels/cuda_module/cuda_module.h"
#include "kernels/plan/joined_weights.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/engine/diffusion/miniature_model.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::diffusion {
namespace {

/// The golden values of the fixtures on a GPU, in half precision (F16) and in single. Skipped where there is none.
class CudaGolden : public ::testing::TestWithParam<kernels::DType> {
  protected:
    void SetUp() override {
        kernels::CudaOptions options;
        options.valueType = GetParam();
        auto backend = kernels::openCudaBackend(cudaModuleFile(), options);
        if (!backend) GTEST_SKIP() << backend.error().message;
        backend_ = *std::move(backend);
    }
    bool isHalf() const { return GetParam() == kernels::DType::F16; }
    void expectAgrees(const std::string& what, std::span<const float> computed, std::span<const float> golden) {
        const auto agreement = testing::agreement(what, computed, golden);
        EXPECT_GE(agreement.cosine, isHalf() ? 0.999 : 0.999999) << what;
        EXPECT_LE(agreement.relativeError, isHalf() ? 2e-2 : 1e-4) << what;
    }
    std::vector<float> run(kernels::Graph graph, const kernels::WeightProvider& weights, const NamedTensors& inputs) {
        const auto out = runOnce(std::move(graph), weights, *backend_, inputs);
        if (!out) throw std::runtime_error(out.error().message);
        return out->at("out");
    }

    std::unique_ptr<kernels::Backend> backend_;
};

TEST_P(CudaGolden, UnetOfTheStableDiffusionLayout) {
    const auto folder = testing::fixturesFolder() / "sd15-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto model = weights::openDiffusionModel(folder / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const auto config = UnetConfig::fromJson(model->unet.config);
    ASSERT_TRUE(config) << config.error().message;
    kernels::Graph graph;
    UnetInputs inputs;
    inputs.latents = graph.input("latents", {2, 8, 16, 4});
    inputs.conditions.timestep = graph.input("timestep", {2});
    inputs.context = graph.input("context", {2, 77, 16});
    graph.output("out", buildUnet(graph, *config, inputs));
    expectAgrees("unet.out",
                 run(std::move(graph), *model->unet.weights,
                     {{"latents", golden.image("unet.sample")},
                      {"timestep", golden.values("unet.t")},
                      {"context", golden.values("text.last_hidden_state")}}),
                 golden.image("unet.out"));
}

TEST_P(CudaGolden, UnetWithAnIpAdapter) {
    const auto folder = testing::fixturesFolder() / "ip-adapter-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto model = weights::openDiffusionModel(testing::fixturesFolder() / "sd15-tiny/single_file.safetensors");
    const auto adapter = weights::openIpAdapter(folder / "plus.safetensors");
    ASSERT_TRUE(model && adapter);
    const auto config = UnetConfig::fromJson(model->unet.config);
    ASSERT_TRUE(config) << config.error().message;
    kernels::Graph graph;
    UnetInputs inputs;
    inputs.latents = graph.input("latents", {1, 8, 16, 4});
    inputs.conditions.timestep = graph.input("timestep", {1});
    inputs.context = graph.input("context", {1, 77, 16});
    const auto tokens = graph.input("tokens", {1, 6, 16});
    const auto hooks = withIpAdapter({}, graph, *config, tokens, graph.input("scale", {1}), false);
    graph.output("out", buildUnet(graph, *config, inputs, hooks));
    expectAgrees("plus.s5",
                 run(std::move(graph), kernels::JoinedWeights({model->unet.weights.get(), adapter->weights.get()}),
                     {{"latents", golden.image("sample")},
                      {"timestep", {444}},
                      {"context", golden.values("ctx")},
                      {"tokens", golden.values("plus.tokens")},
                      {"scale", {0.5f}}}),
                 golden.image("plus.s5"));
}

/// A whole image-to-image on the GPU against the same on the processor, pictures in [0,1].
TEST_P(CudaGolden, PaintingsAreThoseOfTheProcessor) {
    testing::ScratchFolder scratch;
    const std::filesystem::path starter = resourcesFolder() / "models/starter";
    for (const auto& model : {testing::miniatureModel(scratch.path()), starter}) {
        PaintingSetup setup;
        setup.model = model;
        std::vector<float> onProcessor;
        for (const auto kind : {ComputeDevice::Kind::Cpu, ComputeDevice::Kind::Cuda}) {
            const PainterOptions options{.width = 128,
                                         .height = 96,
                                         .guided = true,
                                         .precision = isHalf() && kind == ComputeDevice::Kind::Cuda
                                                          ? kernels::Precision::Fastest
                                                          : kernels::Precision::Float32,
                                         .device = {kind, 0}};
            const auto painter = FramePainter::create(setup, options, {});
            ASSERT_TRUE(painter) << painter.error().message;
            std::vector<float> picture;
            StyleInputs style{.prompt = "a photo of a cat"};
            if (model == starter) {
                picture.assign(224 * 224 * 3, 0.3f);
                for (std::size_t i = 0; i < picture.size(); ++i) picture[i] += 0.2f * std::sin(0.01f * float(i));
                style.pictures.push_back(picture);
            }
            ASSERT_TRUE((*painter)->setStyle(style, {}));
            const PaintSettings settings{.freedom = 0.6f, .steps = 4, .guidance = 2.0f};
            std::vector<float> frame(128 * 96 * 3), out(frame.size());
            for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = 0.5f + 0.4f * std::sin(0.003f * float(i));
            const FrameInput input{frame, {}};
            const std::span<float> view(out);
            // The second painting replays what the first recorded.
            for (int repeat = 0; repeat < 3; ++repeat) {
                (*painter)->beginShot(settings);
                const Status painted = (*painter)->paint({&input, 1}, settings, {}, {&view, 1});
                ASSERT_TRUE(painted) << painted.error().message;
                if (kind == ComputeDevice::Kind::Cpu) break;
                const auto agreement = testing::agreement(model.filename().string(), out, onProcessor);
                EXPECT_GE(agreement.psnr, isHalf() ? 35.0 : 60.0);
            }
            if (kind == ComputeDevice::Kind::Cpu) onProcessor = out;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Types, CudaGolden, ::testing::Values(kernels::DType::F16, kernels::DType::F32),
                         [](const auto& type) { return std::string(kernels::nameOf(type.param)); });

}  // namespace
}  // namespace reelbrush::diffusion
