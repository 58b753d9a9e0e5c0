#include "engine/diffusion/frame_painter.h"

#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace reelbrush::diffusion {
namespace {

const std::filesystem::path kModel = REELBRUSH_SOURCE_DIR "/resources/models/starter";

std::unique_ptr<FramePainter> painterFor(const PainterOptions& options, const std::vector<LoraChoice>& loras = {}) {
    auto painter = FramePainter::create({.model = kModel, .loras = loras}, options, {});
    if (!painter) throw std::runtime_error(painter.error().message);
    return std::move(*painter);
}

Status paintOne(FramePainter& painter, std::span<const float> structure, const PaintSettings& settings,
                const CancelToken& cancel, std::span<float> out) {
    const FrameInput frame{structure, {}};
    return painter.paint({&frame, 1}, settings, cancel, {&out, 1});
}

TEST(FramePainter, PaintsTheGoldenPicture) {
    const testing::GoldenTensors golden(testing::starterGolden());
    const auto painter = painterFor(
        {.width = 320, .height = 192, .guided = false, .precision = kernels::Precision::Float32, .threads = 2});
    const auto style = golden.image("a.style");
    ASSERT_TRUE(painter->setStyle({.pictures = {style}}, {}));
    painter->beginShot({.seed = 3});
    std::vector<float> out(320 * 192 * 3);
    const PaintSettings settings{.freedom = 0.45f, .steps = 8, .guidance = 1.0f};
    ASSERT_TRUE(paintOne(*painter, golden.image("a.structure"), settings, {}, out));
    EXPECT_GE(testing::agreement("painted", out, golden.image("a.image")).psnr, 60.0);
}

TEST(FramePainter, PaintsTheGoldenLora) {
    const testing::GoldenTensors golden(testing::starterGolden());
    for (const auto& [precision, leastPsnr] :
         {std::pair{kernels::Precision::Float32, 60.0}, std::pair{kernels::Precision::Fastest, 40.0}}) {
        const auto painter =
            painterFor({.width = 320, .height = 192, .guided = false, .precision = precision, .threads = 2},
                       {{kModel / "loras" / "ukiyo-e.safetensors", 0.8f}});
        EXPECT_EQ(painter->loraReports(), std::vector<std::string>{"ukiyo-e.safetensors: 78 of 78 modules applied"});
        std::vector<float> out(320 * 192 * 3);
        const PaintSettings settings{.freedom = 0.6f, .steps = 8, .guidance = 1.0f};
        ASSERT_TRUE(paintOne(*painter, golden.image("lora.structure"), settings, {}, out));
        EXPECT_GE(testing::agreement("painted with a LoRA", out, golden.image("lora.image")).psnr, leastPsnr);
    }
}

TEST(FramePainter, UsesTheWorkSpaceThatItPredicted) {
    const auto painter = painterFor({.width = 256, .height = 256, .threads = 2});
    std::vector<float> structure(256 * 256 * 3, 0.4f), out(structure.size());
    ASSERT_TRUE(paintOne(*painter, structure, {.steps = 1}, {}, out));
    const auto memory = painter->memory();
    const auto predicted = static_cast<double>(memory.arenaBytes);
    EXPECT_NEAR(static_cast<double>(memory.residentArenaBytes), predicted, 0.03 * predicted);
}

TEST(FramePainter, GuidanceOneOfAGuidedPainterIsThePlainPainting) {
    std::vector<float> structure(64 * 48 * 3), guided(structure.size()), plain(structure.size());
    for (std::size_t i = 0; i < structure.size(); ++i)
        structure[i] = 0.5f + 0.4f * std::sin(0.01f * static_cast<float>(i));
    PainterOptions options{.width = 64, .height = 48, .precision = kernels::Precision::Float32, .threads = 2};
    const PaintSettings settings{.steps = 2, .guidance = 1.0f};
    const std::vector<LoraChoice> loras{{kModel / "loras" / "watercolour.safetensors", 1.0f}};
    ASSERT_TRUE(paintOne(*painterFor(options, loras), structure, settings, {}, guided));
    options.guided = false;
    ASSERT_TRUE(paintOne(*painterFor(options, loras), structure, settings, {}, plain));
    EXPECT_LE(testing::agreement("guided", guided, plain).maxError, 1e-4);
}

TEST(FramePainter, FramesAtOnceAreWhatTheyAreAlone) {
    constexpr std::size_t kValues = 64 * 48 * 3, kFrames = 5;
    std::vector<std::vector<float>> pictures(kFrames, std::vector<float>(kValues)), expected(pictures), out(pictures);
    std::vector<FrameInput> inputs;
    std::vector<std::span<float>> outputs;
    for (std::size_t f = 0; f < kFrames; ++f) {
        for (std::size_t i = 0; i < kValues; ++i)
            pictures[f][i] = 0.5f + 0.4f * std::sin(0.01f * static_cast<float>(i) + static_cast<float>(f));
        inputs.push_back({pictures[f], {}});
        outputs.push_back(out[f]);
    }
    const std::vector<float> style(224 * 224 * 3, 0.7f);
    for (const bool guided : {false, true}) {
        PainterOptions options{
            .width = 64, .height = 48, .guided = guided, .precision = kernels::Precision::Float32, .threads = 2};
        const PaintSettings settings{.steps = 2, .guidance = guided ? 2.0f : 1.0f};
        const auto alone = painterFor(options);
        ASSERT_TRUE(alone->setStyle({.pictures = {style}}, {}));
        for (std::size_t f = 0; f < kFrames; ++f) ASSERT_TRUE(paintOne(*alone, pictures[f], settings, {}, expected[f]));
        options.batchFrames = 3;
        const auto together = painterFor(options);
        ASSERT_TRUE(together->setStyle({.pictures = {style}}, {}));
        ASSERT_EQ(together->needs().windowFrames, 3);
        const std::span frames(inputs);
        const std::span paintings(outputs);
        ASSERT_TRUE(together->paint(frames.first(3), settings, {}, paintings.first(3)));
        ASSERT_TRUE(together->paint(frames.subspan(3), settings, {}, paintings.subspan(3)));
        for (std::size_t f = 0; f < kFrames; ++f)
            EXPECT_LE(testing::agreement("frame", out[f], expected[f]).maxError, 1e-4) << f;
    }
}

TEST(FramePainter, TheSameFrameGivesTheSameBits) {
    const auto painter = painterFor({.width = 48, .height = 32, .threads = 2});
    std::vector<float> structure(48 * 32 * 3, 0.3f), first(structure.size()), second(structure.size());
    ASSERT_TRUE(paintOne(*painter, structure, {.steps = 2}, {}, first));
    std::vector<float> other(structure.size(), 0.9f);
    ASSERT_TRUE(paintOne(*painter, other, {.steps = 3}, {}, second));
    ASSERT_TRUE(paintOne(*painter, structure, {.steps = 2}, {}, second));
    EXPECT_EQ(first, second);
}

TEST(FramePainter, CancelEndsThePainting) {
    const auto painter = painterFor({.width = 32, .height = 32, .threads = 1});
    std::vector<float> structure(32 * 32 * 3, 0.5f), out(structure.size());
    const CancelToken cancel;
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        cancel.cancel();
    });
    const auto status = paintOne(*painter, structure, {.steps = 1000}, cancel, out);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, StatusCode::Cancelled);
}

TEST(FramePainter, SwitchedLorasPaintAsIfItHadBeenMadeWithThem) {
    const std::vector<LoraChoice> ink{{kModel / "loras" / "watercolour.safetensors", 0.7f}};
    const std::vector<LoraChoice> print{{kModel / "loras" / "ukiyo-e.safetensors", 1.0f}};
    const PainterOptions options{.width = 48, .height = 32, .precision = kernels::Precision::Float32, .threads = 2};
    const PaintSettings settings{.steps = 1};
    std::vector<float> structure(48 * 32 * 3, 0.3f), first(structure.size()), out(structure.size()),
        expected(structure.size());
    const auto painter = painterFor(options, ink);
    ASSERT_TRUE(paintOne(*painter, structure, settings, {}, first));
    for (const auto& loras : {print, std::vector<LoraChoice>{}, ink}) {
        ASSERT_TRUE(painter->switchLoras(loras, {}));
        EXPECT_EQ(painter->loraReports().size(), loras.size());
        ASSERT_TRUE(paintOne(*painter, structure, settings, {}, out));
        ASSERT_TRUE(paintOne(*painterFor(options, loras), structure, settings, {}, expected));
        EXPECT_LE(testing::agreement("switched", out, expected).maxError, 1e-4);
    }
    EXPECT_EQ(out, first) << "nothing drifts";
}

TEST(FramePainter, CancelEndsThePreparing) {
    const CancelToken cancel;
    cancel.cancel();
    const auto painter = FramePainter::create({.model = kModel}, {.width = 32, .height = 32}, cancel);
    ASSERT_FALSE(painter);
    EXPECT_EQ(painter.error().code, StatusCode::Cancelled);
}

TEST(FramePainter, WhatTheStarterModelCannotTakeIsNamed) {
    const auto painter =
        FramePainter::create({.model = kModel, .controls = {"canny.safetensors"}}, {.width = 32, .height = 32}, {});
    ASSERT_FALSE(painter);
    EXPECT_NE(painter.error().message.find("ControlNets"), std::string::npos) << painter.error().message;
}

TEST(FramePainter, TooLittleMemorySaysWhatIsNeeded) {
    const auto painter =
        FramePainter::create({.model = kModel}, {.width = 256, .height = 256, .ramBytes = 10 << 20}, {});
    ASSERT_FALSE(painter);
    EXPECT_EQ(painter.error().code, StatusCode::OutOfMemory);
    EXPECT_NE(painter.error().message.find("256x256 needs"), std::string::npos) << painter.error().message;
}

TEST(FramePainter, SizesOffTheGridAreRefused) {
    EXPECT_FALSE(FramePainter::create({.model = kModel}, {.width = 100, .height = 64}, {}));
    EXPECT_FALSE(FramePainter::create({.model = kModel}, {.width = 0, .height = 64}, {}));
}

TEST(FramePainter, AMissingModelIsNamed) {
    const auto painter = FramePainter::create({.model = "/nowhere/model"}, {}, {});
    ASSERT_FALSE(painter);
    EXPECT_NE(painter.error().message.find("/nowhere/model"), std::string::npos) << painter.error().message;
}

}  // namespace
}  // namespace reelbrush::diffusion
