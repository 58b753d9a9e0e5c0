#include "engine/diffusion/denoiser.h"

#include "engine/diffusion/sampling/torch_noise.h"
#include "engine/diffusion/text/clip_tokenizer.h"
#include "engine/diffusion/text/prompt_encoder.h"
#include "engine/diffusion/vae/latent_codec.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/tensor/buffer.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/engine/diffusion/miniature_model.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace reelbrush::diffusion {
namespace {

constexpr double kTolerance = 1e-4;
const std::filesystem::path kTokenizer = REELBRUSH_SOURCE_DIR "/resources/tokenizer";

/// A miniature model with its parts side by side, so that the noise can be the reference's.
struct Bench {
    PaintingSetup setup;
    FullModel model;
    kernels::CpuBackend backend{kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32}};
    MergedLoras loras;
    std::unique_ptr<LatentCodec> codec;
    std::optional<Denoiser> denoiser;
    kernels::Buffer arena;

    explicit Bench(PaintingSetup given) : setup(std::move(given)) {
        take(FullModel::open(setup), model);
        take(mergeLoras({}, {.parts = model.parts()}), loras);
        ControlStack controls;
        take(ControlStack::open(setup.controls, model), controls);
        denoiser.emplace(model, std::move(controls), backend);
    }

    void compile(const UnetShape& shape) {
        take(LatentCodec::create(model.files.vae.weights, model.files.vae.config, backend,
                                 {.width = shape.width * 8, .height = shape.height * 8}),
             codec);
        check(denoiser->compile(shape, loras, {}));
        take(kernels::Buffer::allocate(std::max(denoiser->arenaBytes(), codec->arenaBytes()), nullptr, "test"), arena);
        check(denoiser->bind({arena.data(), arena.sizeBytes()}));
        check(codec->bind({arena.data(), arena.sizeBytes()}));
    }

    EncodedPair prompts(const char* positive, const char* negative) {
        std::shared_ptr<const ClipTokenizer> tokenizer;
        take(ClipTokenizer::open(kTokenizer), tokenizer);
        auto encoder = PromptEncoder::create(
            model.textFamily(), {{model.files.textEncoder.weights, model.files.textEncoder.config}}, tokenizer);
        check(encoder);
        EncodedPair pair;
        take(encoder->encodePair(positive, negative, {}, backend), pair);
        return pair;
    }

    template <typename Outcome>
    static void check(const Outcome& outcome) {
        if (!outcome) throw std::runtime_error(outcome.error().message);
    }
    template <typename Value>
    static void take(Result<Value> result, Value& value) {
        check(result);
        value = *std::move(result);
    }
};

std::vector<float> joined(std::initializer_list<const std::vector<float>*> parts) {
    std::vector<float> all;
    for (const auto* part : parts) all.insert(all.end(), part->begin(), part->end());
    return all;
}

std::vector<float> shownAs(std::vector<float> picture) {
    for (float& value : picture) value = std::clamp(value / 2 + 0.5f, 0.0f, 1.0f);
    return picture;
}

/// Prompt to pixels: text encoder, VAE, DDIM over six of ten steps, guidance 7.5, VAE.
TEST(Denoiser, ImageToImageMatchesDiffusers) {
    const auto folder = testing::fixturesFolder() / "sd15-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const testing::ScratchFolder scratch;
    Bench bench({.model = testing::miniatureModel(scratch.path())});
    const auto cases = nlohmann::json::parse(std::ifstream(testing::fixturesFolder() / "tokenizer" / "cases.json"));
    const auto ids = golden.values("text.ids");
    std::string prompt;
    for (const auto& entry : cases.at("cases")) {
        const auto padded = entry.at("padded77").get<std::vector<float>>();
        if (std::equal(padded.begin(), padded.end(), ids.begin() + 77)) prompt = entry.at("text").get<std::string>();
    }
    ASSERT_FALSE(prompt.empty());
    const EncodedPair pair = bench.prompts(prompt.c_str(), "");
    bench.compile({.width = 16, .height = 8, .prompts = 2});
    bench.denoiser->context().context = joined({&pair.negative.context, &pair.positive.context});

    std::vector<float> clean(8 * 16 * 4), latents(clean.size()), picture(64 * 128 * 3);
    ASSERT_TRUE(bench.codec->encode(shownAs(golden.image("vae.image")), clean, {}));
    const auto noise = golden.image("img2img.noise");
    const PaintSettings settings{.freedom = 0.6f, .steps = 10, .guidance = 7.5f};
    TorchCpuNoise fresh(0);
    const auto status = bench.denoiser->denoise({clean, noise, 0, {}, settings, fresh}, {}, latents);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_LE(testing::agreement("img2img.latents", latents, golden.image("img2img.latents")).relativeError,
              kTolerance);
    ASSERT_TRUE(bench.codec->decode(latents, picture, {}));
    EXPECT_LE(testing::agreement("img2img.image", picture, shownAs(golden.image("img2img.image"))).maxError, 2e-4);
}

/// InstructPix2Pix: three predictions a step, Euler, the frame's unscaled latents beside the noise.
TEST(Denoiser, EditingMatchesDiffusers) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "ip2p-tiny is not in the repository";
    const auto folder = *shared / "fixtures" / "ip2p-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const testing::ScratchFolder scratch;
    const auto base = testing::miniatureModel(scratch.path());
    Bench bench({.model = folder / "unet_only.safetensors", .vae = base, .textEncoder = base});
    EXPECT_TRUE(bench.model.isEditing());
    bench.compile({.width = 8, .height = 8, .prompts = 3});
    std::vector<float> clean(8 * 8 * 4), latents(clean.size());
    ASSERT_TRUE(bench.codec->encode(shownAs(golden.image("image")), clean, {}));
    auto& context = bench.denoiser->context();
    for (int prompt = 0; prompt < 3; ++prompt)
        for (const float value : clean)
            context.extra.push_back(prompt == 0 ? 0.0f : value / bench.codec->scalingFactor());
    const auto noise = golden.image("noise");
    const PaintSettings settings{.steps = 6, .guidance = 7.0f, .sampler = "euler", .imageGuidance = 1.5f};
    TorchCpuNoise fresh(0);
    const EncodedPair pair = bench.prompts("a photo of a cat", "");
    context.context = joined({&pair.negative.context, &pair.negative.context, &pair.positive.context});
    ASSERT_TRUE(bench.denoiser->denoise({clean, noise, 0, {}, settings, fresh}, {}, latents));
    EXPECT_LE(testing::agreement("ip2p.latents", latents, golden.image("latents")).relativeError, kTolerance);
    std::vector<float> picture(64 * 64 * 3);
    ASSERT_TRUE(bench.codec->decode(latents, picture, {}));
    EXPECT_LE(testing::agreement("ip2p.decoded", picture, shownAs(golden.image("decoded"))).maxError, 2e-4);
}

TEST(Denoiser, CarriedFramesStayWhatTheyAre) {
    const testing::ScratchFolder scratch;
    Bench bench({.model = testing::miniatureModel(scratch.path())});
    const EncodedPair pair = bench.prompts("a photo of a cat", "");
    bench.compile({.width = 8, .height = 8, .prompts = 1, .frames = 3});
    bench.denoiser->context().context = pair.positive.context;
    std::vector<float> clean(3 * 8 * 8 * 4), noise(clean.size()), latents(clean.size());
    TorchCpuNoise draw(5), fresh(0);
    draw.fill(clean);
    draw.fill(noise);
    const PaintSettings settings{.freedom = 1.0f, .steps = 4, .guidance = 1.0f};
    ASSERT_TRUE(bench.denoiser->denoise({clean, noise, 2, {}, settings, fresh}, {}, latents));
    const auto frame = static_cast<std::ptrdiff_t>(clean.size() / 3);
    EXPECT_TRUE(std::equal(clean.begin(), clean.begin() + 2 * frame, latents.begin()));
    const auto painted = testing::agreement("painted", std::span(latents).last(static_cast<std::size_t>(frame)),
                                            std::span(clean).last(static_cast<std::size_t>(frame)));
    EXPECT_GT(painted.relativeError, 0.1);
}

TEST(Denoiser, GuidanceNeedsRoomForTwoPrompts) {
    const testing::ScratchFolder scratch;
    Bench bench({.model = testing::miniatureModel(scratch.path())});
    bench.compile({.width = 4, .height = 4, .prompts = 1});
    bench.denoiser->context().context.resize(77 * 16);
    std::vector<float> clean(4 * 4 * 4), noise(clean.size()), latents(clean.size());
    TorchCpuNoise fresh(0);
    EXPECT_FALSE(bench.denoiser->denoise({clean, noise, 0, {}, {.guidance = 3.0f}, fresh}, {}, latents));
    EXPECT_TRUE(bench.denoiser->denoise({clean, noise, 0, {}, {.steps = 1, .guidance = 1.0f}, fresh}, {}, latents));
}

}  // namespace
}  // namespace reelbrush::diffusion
