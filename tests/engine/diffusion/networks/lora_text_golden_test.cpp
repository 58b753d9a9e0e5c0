#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/networks/text_encoder.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/lora_merge.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

/// Rows of the token embedding, one after the other.
std::vector<float> embedded(const kernels::WeightProvider& weights, std::span<const float> tokens) {
    const auto view = weights.find("text_model.embeddings.token_embedding.weight");
    if (!view) throw std::runtime_error(view.error().message);
    const auto width = static_cast<std::size_t>(view->shape[1]);
    std::vector<float> table(static_cast<std::size_t>(view->shape.elements())), rows;
    view->toFloat(table.data());
    for (const float token : tokens) {
        const auto row = table.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(token) * width);
        rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(width));
    }
    return rows;
}

/// The text encoder of sd15-tiny with the LoRA that also changes it.
TEST(LoraTextGolden, MatchesTheReferenceAtBothStrengths) {
    const auto folder = testing::fixturesFolder() / "sd15-tiny";
    const auto model = weights::openDiffusionModel(folder / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    auto config = TextEncoderConfig::fromJson(model->textEncoder.config);
    ASSERT_TRUE(config) << config.error().message;
    config->heads = 4;  // which no tensor tells
    const auto lora = weights::LoraFile::open(folder / "lora" / "kohya.safetensors");
    ASSERT_TRUE(lora) << lora.error().message;
    const weights::LoraTarget target{
        .parts = {{"unet", model->unet.weights}, {"text_encoder", model->textEncoder.weights}}, .modelName = "SD 1.5"};
    const testing::GoldenTensors goldens(folder / "lora" / "golden.safetensors");
    const auto ids = testing::GoldenTensors(folder / "golden.safetensors").values("text.ids");
    kernels::CpuBackend backend(kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32});

    const auto encode = [&](const std::vector<weights::LoraUse>& uses) {
        const auto merged = weights::mergeLoras(target, uses);
        if (!merged) throw std::runtime_error(merged.error().message);
        const auto& text = *merged->parts.at("text_encoder");
        kernels::Graph graph;
        auto hidden = graph.input("tokens", {1, config->positions, config->hiddenSize});
        hidden = addTextPositions(graph, *config, hidden);
        hidden = addTextLayers(graph, *config, hidden, {0, config->layers});
        graph.output("out", addFinalTextNorm(graph, *config, hidden));
        const auto tokens = std::span(ids).first(static_cast<std::size_t>(config->positions));
        const auto out = runOnce(std::move(graph), text, backend, {{"tokens", embedded(text, tokens)}});
        if (!out) throw std::runtime_error(out.error().message);
        return out->at("out");
    };
    for (const auto& [golden, use] : {std::pair{"text.base", weights::LoraUse{*lora, 0}},
                                      {"kohya.text.s10", weights::LoraUse{*lora, 1}},
                                      {"kohya.text.s6", weights::LoraUse{*lora, 0.6f}},
                                      {"kohya.text.s6", weights::LoraUse{*lora, 0, 0.6f}},
                                      {"text.base", weights::LoraUse{*lora, 1, 0.0f}}}) {
        const auto agreed = testing::agreement(golden, encode({use}), goldens.values(golden));
        EXPECT_GE(agreed.cosine, 0.9999);
        EXPECT_LE(agreed.relativeError, 1e-4);
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
