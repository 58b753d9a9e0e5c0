#include "engine/diffusion/frame_painter.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/engine/diffusion/miniature_model.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::diffusion {
namespace {

constexpr int kSide = 64;

/// A painter of 64x64 with the miniature model.
class DiffusionPainterTest : public ::testing::Test {
  protected:
    PaintingSetup setup() const { return {.model = model_}; }
    static PainterOptions options(bool guided = true) {
        return {
            .width = kSide, .height = kSide, .guided = guided, .precision = kernels::Precision::Float32, .threads = 2};
    }
    static std::unique_ptr<FramePainter> painterFor(const PaintingSetup& setup, const PainterOptions& options,
                                                    const StyleInputs& style = {.prompt = "a photo of a cat"}) {
        auto painter = FramePainter::create(setup, options, {});
        if (!painter) throw std::runtime_error(painter.error().message);
        if (const Status status = (*painter)->setStyle(style, {}); !status)
            throw std::runtime_error(status.error().message);
        return std::move(*painter);
    }
    std::vector<float> frame() const {
        std::vector<float> picture(kSide * kSide * 3);
        for (std::size_t i = 0; i < picture.size(); ++i)
            picture[i] = 0.5f + 0.4f * std::sin(0.01f * static_cast<float>(i));
        return picture;
    }
    std::vector<float> paint(FramePainter& painter, const PaintSettings& settings) const {
        const auto picture = frame();
        std::vector<float> out(picture.size());
        const FrameInput input{picture, {}};
        const std::span<float> view(out);
        painter.beginShot(settings);
        const Status status = painter.paint({&input, 1}, settings, {}, {&view, 1});
        if (!status) throw std::runtime_error(status.error().message);
        return out;
    }

    testing::ScratchFolder scratch_;
    std::filesystem::path model_ = testing::miniatureModel(scratch_.path());
};

constexpr PaintSettings kQuick{.freedom = 0.5f, .steps = 4, .guidance = 3.0f};

TEST_F(DiffusionPainterTest, WantsTheFrameItself) {
    const auto painter = painterFor(setup(), options());
    EXPECT_FALSE(painter->needs().structureImage);
    EXPECT_EQ(painter->needs().windowFrames, 1);
    EXPECT_GT(painter->memory().arenaBytes, 0u);
    EXPECT_GT(painter->memory().weightBytes, 0u);
}

TEST_F(DiffusionPainterTest, TheSameFrameGivesTheSameBitsInEveryShot) {
    const auto painter = painterFor(setup(), options());
    const auto first = paint(*painter, kQuick);
    PaintSettings other = kQuick;
    other.seed = 9;
    EXPECT_NE(paint(*painter, other), first);
    EXPECT_EQ(paint(*painter, kQuick), first);
    for (const float value : first) ASSERT_TRUE(value >= 0.0f && value <= 1.0f);
}

TEST_F(DiffusionPainterTest, FramesAtOnceAreWhatTheyAreAlone) {
    constexpr std::size_t kFrames = 5;
    std::vector<std::vector<float>> pictures(kFrames, frame()), out(pictures);
    std::vector<FrameInput> inputs;
    std::vector<std::span<float>> outputs;
    for (std::size_t f = 0; f < kFrames; ++f) {
        for (float& value : pictures[f]) value *= 1.0f - 0.1f * static_cast<float>(f);
        inputs.push_back({pictures[f], {}});
        outputs.push_back(out[f]);
    }
    for (const bool guided : {false, true}) {
        PaintSettings settings = kQuick;
        settings.sampler = "euler a";  // adds noise on the way
        settings.guidance = guided ? 3.0f : 1.0f;
        PainterOptions together = options(guided);
        together.batchFrames = 3;
        const auto painter = painterFor(setup(), together);
        EXPECT_EQ(painter->needs().windowFrames, 3);
        painter->beginShot(settings);
        ASSERT_TRUE(painter->paint(std::span(inputs).first(3), settings, {}, std::span(outputs).first(3)));
        ASSERT_TRUE(painter->paint(std::span(inputs).subspan(3), settings, {}, std::span(outputs).subspan(3)));

        const auto alone = painterFor(setup(), options(guided));
        std::vector<float> expected(pictures[0].size());
        const std::span<float> view(expected);
        alone->beginShot(settings);
        for (std::size_t f = 0; f < kFrames; ++f) {
            ASSERT_TRUE(alone->paint({&inputs[f], 1}, settings, {}, {&view, 1}));
            EXPECT_LE(testing::agreement("frame", out[f], expected).maxError, 1e-4) << f;
        }
    }
}

TEST_F(DiffusionPainterTest, EverySettingActs) {
    const auto painter = painterFor(setup(), options());
    const auto plain = paint(*painter, kQuick);
    PaintSettings s = kQuick;
    s.guidance = 8.0f;
    EXPECT_NE(paint(*painter, s), plain);
    s = kQuick;
    s.guidanceFalloff = 0.5f;
    EXPECT_NE(paint(*painter, s), plain);
    s = kQuick;
    s.guidanceRescale = 0.7f;
    EXPECT_NE(paint(*painter, s), plain);
    s = kQuick;
    s.cudaNoise = true;
    EXPECT_NE(paint(*painter, s), plain);
    s = kQuick;
    s.freedom = 1.0f;
    EXPECT_NE(paint(*painter, s), plain);
    for (const char* sampler : {"euler", "euler a", "heun", "dpm++ 2m karras", "dpm++ 2m sde karras", "unipc", "lcm"}) {
        s = kQuick;
        s.sampler = sampler;
        EXPECT_NE(paint(*painter, s), plain) << sampler;
        EXPECT_EQ(paint(*painter, s), paint(*painter, s)) << sampler << " adds the same noise to every frame";
    }
}

TEST_F(DiffusionPainterTest, ThePromptActsAndMayGrow) {
    const auto painter = painterFor(setup(), options());
    const auto cat = paint(*painter, kQuick);
    ASSERT_TRUE(painter->setStyle({.prompt = "a photo of a cat BREAK in oil"}, {}));
    EXPECT_NE(paint(*painter, kQuick), cat);
    ASSERT_TRUE(painter->setStyle({.prompt = "a photo of a cat", .negativePrompt = "blurry"}, {}));
    EXPECT_NE(paint(*painter, kQuick), cat);
    ASSERT_TRUE(painter->setStyle({.prompt = "a photo of a cat"}, {}));
    EXPECT_LE(testing::agreement("again", paint(*painter, kQuick), cat).maxError, 1e-4);
}

TEST_F(DiffusionPainterTest, LorasReachUnetAndTextEncoder) {
    const auto folder = testing::fixturesFolder() / "sd15-tiny" / "lora";
    const auto painter = painterFor(setup(), options());
    const auto plain = paint(*painter, kQuick);
    for (const char* name : {"kohya", "peft", "locon", "loha", "lokr", "dora", "diffusers_attn_processor"}) {
        ASSERT_TRUE(painter->switchLoras({{folder / (std::string(name) + ".safetensors"), 0.8f}}, {}));
        ASSERT_TRUE(painter->setStyle({.prompt = "a photo of a cat"}, {}));
        ASSERT_EQ(painter->loraReports().size(), 1u);
        EXPECT_NE(paint(*painter, kQuick), plain) << name;
    }
    ASSERT_TRUE(painter->switchLoras({}, {}));
    ASSERT_TRUE(painter->setStyle({.prompt = "a photo of a cat"}, {}));
    EXPECT_EQ(paint(*painter, kQuick), plain) << "bit for bit";
}

TEST_F(DiffusionPainterTest, PaintsWithAControlNet) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "controlnet-tiny is not in the repository";
    PaintingSetup controlled = setup();
    controlled.controls = {*shared / "fixtures" / "controlnet-tiny"};
    const auto painter = painterFor(controlled, options());
    const auto picture = frame();
    const FrameInput input{picture, {picture}};
    PaintSettings settings = kQuick;
    const auto paintAt = [&](const ControlSettings& control) {
        settings.controls = {control};
        std::vector<float> out(picture.size());
        const std::span<float> view(out);
        painter->beginShot(settings);
        EXPECT_TRUE(painter->paint({&input, 1}, settings, {}, {&view, 1}));
        return out;
    };
    const auto without = paint(*painterFor(setup(), options()), kQuick);
    EXPECT_LE(testing::agreement("strength 0", paintAt({.strength = 0.0f}), without).maxError, 1e-4);
    const auto full = paintAt({.strength = 0.02f});
    EXPECT_GT(testing::agreement("strength", full, without).maxError, 1e-3);
    EXPECT_NE(paintAt({.strength = 0.02f, .end = 0.5f}), full);
    EXPECT_NE(paintAt({.strength = 0.02f, .start = 0.5f}), full);
}

TEST_F(DiffusionPainterTest, EditsWithInstructPix2Pix) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "ip2p-tiny is not in the repository";
    PaintingSetup editing;
    editing.model = *shared / "fixtures" / "ip2p-tiny" / "unet_only.safetensors";
    editing.vae = editing.textEncoder = model_;
    const auto painter = painterFor(editing, options());
    const auto plain = paint(*painter, kQuick);
    PaintSettings other = kQuick;
    other.imageGuidance = 3.0f;
    EXPECT_NE(paint(*painter, other), plain);
    paint(*painterFor(editing, options(false)), {.steps = 2, .guidance = 1.0f});
}

TEST_F(DiffusionPainterTest, PaintsWindowsOfFramesWithAMotionModule) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "motion-tiny is not in the repository";
    PaintingSetup moving = setup();
    moving.motion = MotionChoice{*shared / "fixtures" / "motion-tiny", 4, 2};
    const auto painter = painterFor(moving, options());
    EXPECT_EQ(painter->needs().windowFrames, 4);
    EXPECT_EQ(painter->needs().windowOverlap, 2);

    std::vector<std::vector<float>> pictures;
    for (int i = 0; i < 6; ++i) {
        pictures.push_back(frame());
        for (float& value : pictures.back()) value = std::min(1.0f, value + 0.02f * static_cast<float>(i));
    }
    const auto paintWindow = [&](std::size_t first, std::size_t count, std::size_t fresh) {
        std::vector<FrameInput> inputs;
        for (std::size_t i = first; i < first + count; ++i) inputs.push_back({pictures[i], {}});
        std::vector<std::vector<float>> out(fresh, std::vector<float>(pictures[0].size()));
        const std::vector<std::span<float>> views(out.begin(), out.end());
        const Status status = painter->paint(inputs, kQuick, {}, views);
        EXPECT_TRUE(status) << status.error().message;
        return out;
    };
    painter->beginShot(kQuick);
    const auto first = paintWindow(0, 4, 4);
    const auto second = paintWindow(2, 4, 2);
    EXPECT_NE(first[0], first[1]) << "each frame has its own noise";
    painter->beginShot(kQuick);
    EXPECT_EQ(paintWindow(0, 4, 4), first) << "bit for bit";
    EXPECT_EQ(paintWindow(2, 4, 2), second);
    // A short shot is a window whose last frame stands still.
    painter->beginShot(kQuick);
    EXPECT_EQ(paintWindow(0, 2, 2).size(), 2u);

    moving.motion->windowFrames = 64;
    auto tooLong = FramePainter::create(moving, options(), {});
    ASSERT_TRUE(tooLong);
    const Status status = (*tooLong)->setStyle({.prompt = "x"}, {});
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("at most 32 frames"), std::string::npos) << status.error().message;
}

TEST_F(DiffusionPainterTest, InjectsTheStyleOfAPicture) {
    PaintingSetup styled = setup();
    styled.stylePictures = true;
    std::vector<float> red(kSide * kSide * 3, 0.1f), stripes(red.size());
    for (std::size_t i = 0; i < red.size(); ++i) {
        if (i % 3 == 0) red[i] = 0.9f;
        stripes[i] = (i / 3) % kSide / 8 % 2 == 0 ? 0.9f : 0.1f;
    }
    const auto painter = painterFor(styled, options(), {.prompt = "x", .pictures = {red}});
    EXPECT_EQ(painter->needs().styleWidth, kSide);
    EXPECT_GT(painter->keptBytes(kQuick).value(), 0u);
    const auto plain = paint(*painterFor(setup(), options(), {.prompt = "x"}), kQuick);
    const auto inRed = paint(*painter, kQuick);
    EXPECT_NE(inRed, plain);
    EXPECT_EQ(paint(*painter, kQuick), inRed) << "the bank is filled once and serves every frame";
    PaintSettings other = kQuick;
    other.queryBlend = 0.2f;
    EXPECT_NE(paint(*painter, other), inRed);
    other = kQuick;
    other.injectionTemperature = 3.0f;
    EXPECT_NE(paint(*painter, other), inRed);
    other = kQuick;
    other.steps = 6;
    EXPECT_NE(paint(*painter, other), inRed);
    EXPECT_EQ(paint(*painter, kQuick), inRed) << "and is filled anew where the steps change";

    ASSERT_TRUE(painter->setStyle({.prompt = "x", .pictures = {stripes, red}}, {}));
    EXPECT_NE(paint(*painter, kQuick), inRed);
    EXPECT_EQ(painter->notes().size(), 1u) << "only the first picture counts, and that is said";

    // Without guidance and with the painting alone beside the frame.
    const auto faithful = painterFor(styled, options(false), {.prompt = "x", .pictures = {red}});
    paint(*faithful, {.freedom = 0.5f, .steps = 2, .guidance = 1.0f});
}

TEST_F(DiffusionPainterTest, BadSettingsAreNamed) {
    const auto expectRefused = [&](const PaintSettings& settings, const std::string& text) {
        const auto painter = painterFor(setup(), options(false));
        try {
            paint(*painter, settings);
            FAIL() << text;
        } catch (const std::runtime_error& error) {
            EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
    };
    expectRefused({.steps = 2, .guidance = 3.0f}, "guidance");
    expectRefused({.steps = 2, .guidance = 1.0f, .sampler = "magic"}, "magic");
    PaintingSetup missing = setup();
    missing.controls = {"/nowhere/canny.safetensors"};
    EXPECT_FALSE(FramePainter::create(missing, options(), {}));
    missing = setup();
    missing.vae = "/nowhere/vae.safetensors";
    EXPECT_FALSE(FramePainter::create(missing, options(), {}));
}

TEST_F(DiffusionPainterTest, TooLittleMemorySaysWhatIsNeeded) {
    PainterOptions tight = options();
    tight.ramBytes = 1 << 20;
    auto painter = FramePainter::create(setup(), tight, {});
    ASSERT_TRUE(painter) << painter.error().message;
    const Status status = (*painter)->setStyle({.prompt = "x"}, {});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, StatusCode::OutOfMemory);
}

TEST_F(DiffusionPainterTest, CancelEndsPreparingAndPainting) {
    const CancelToken cancel;
    auto painter = FramePainter::create(setup(), options(), cancel);
    ASSERT_TRUE(painter);
    cancel.cancel();
    const Status status = (*painter)->setStyle({.prompt = "x"}, cancel);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, StatusCode::Cancelled);
}

}  // namespace
}  // namespace reelbrush::diffusion
