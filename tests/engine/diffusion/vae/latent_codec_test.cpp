#include "engine/diffusion/vae/latent_codec.h"

#include "engine/weights/diffusion_model.h"
#include "engine/weights/model_part_files.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/kernels/support/queue_backend.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {
namespace {

constexpr double kTolerance = 2e-5;

std::unique_ptr<kernels::Backend> processor() {
    return std::make_unique<kernels::CpuBackend>(
        kernels::CpuOptions{.threads = 1, .precision = kernels::Precision::Float32});
}

/// A codec with an arena of its own.
struct Bench {
    std::unique_ptr<kernels::Backend> backend;
    std::unique_ptr<kernels::DeviceMemory> arena;
    std::unique_ptr<LatentCodec> codec;

    Bench(const weights::ModelPart& part, const LatentCodecOptions& options,
          std::unique_ptr<kernels::Backend> on = processor())
        : backend(std::move(on)) {
        auto made = LatentCodec::create(part.weights, part.config, *backend, options);
        if (!made) throw std::runtime_error(made.error().message);
        codec = std::move(*made);
        auto space = backend->allocateArena(codec->arenaBytes());
        if (!space || !codec->bind({(*space)->data(), (*space)->sizeBytes()})) throw std::runtime_error("no arena");
        arena = std::move(*space);
    }
};

/// From [-1,1] to [0,1].
std::vector<float> unsignedPicture(std::vector<float> values) {
    for (float& value : values) value = value / 2 + 0.5f;
    return values;
}

std::vector<float> clamped(std::vector<float> values) {
    for (float& value : values) value = std::clamp(value, 0.0f, 1.0f);
    return values;
}

weights::ModelPart klPart() {
    const auto model = weights::openDiffusionModel(testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors");
    if (!model) throw std::runtime_error(model.error().message);
    return model->vae;
}

TEST(LatentCodec, AutoencoderKlMatchesDiffusers) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "sd15-tiny" / "golden.safetensors");
    Bench bench(klPart(), {.width = 128, .height = 64});
    EXPECT_EQ(bench.codec->latentWidth(), 16);
    EXPECT_EQ(bench.codec->latentHeight(), 8);
    EXPECT_FLOAT_EQ(bench.codec->scalingFactor(), 0.18215f);

    std::vector<float> latents(8 * 16 * 4), picture(64 * 128 * 3);
    ASSERT_TRUE(bench.codec->encode(unsignedPicture(golden.image("vae.image")), latents, {}));
    auto mean = golden.image("vae.mean");
    for (float& value : mean) value *= 0.18215f;
    EXPECT_LE(testing::agreement("vae.mean", latents, mean).relativeError, kTolerance);

    ASSERT_TRUE(bench.codec->decode(mean, picture, {}));
    const auto decoded = clamped(unsignedPicture(golden.image("vae.decoded")));
    EXPECT_LE(testing::agreement("vae.decoded", picture, decoded).maxError, kTolerance);
}

TEST(LatentCodec, TinyAutoencoderMatchesDiffusers) {
    const auto folder = testing::fixturesFolder() / "taesd-tiny";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    const auto part = weights::openVae(folder);
    ASSERT_TRUE(part) << part.error().message;
    Bench bench(*part, {.width = 96, .height = 64});
    EXPECT_EQ(bench.codec->scalingFactor(), 1.0f);
    std::vector<float> latents(8 * 12 * 4), picture(64 * 96 * 3);
    ASSERT_TRUE(bench.codec->encode(unsignedPicture(golden.image("image")), latents, {}));
    EXPECT_LE(testing::agreement("latents", latents, golden.image("latents")).relativeError, kTolerance);
    ASSERT_TRUE(bench.codec->decode(golden.image("latents"), picture, {}));
    const auto decoded = clamped(unsignedPicture(golden.image("decoded")));
    EXPECT_LE(testing::agreement("decoded", picture, decoded).maxError, kTolerance);
}

/// Largest difference, and how many there are; sizes must agree.
double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

std::vector<float> waves(std::size_t count, float amplitude, float offset) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<float>(i);
        values[i] = offset + amplitude * (0.6f * std::sin(0.037f * x) + 0.4f * std::sin(1.7f * x + 0.3f));
    }
    return values;
}

/// Both ways with and without a ceiling; nothing but rounding may differ.
void expectTilesToMakeNoDifference(const weights::ModelPart& part, LatentCodecOptions options, std::size_t divisor) {
    SCOPED_TRACE(fmt::format("{}x{}, a part of {}", options.width, options.height, divisor));
    const auto pixels = static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height);
    const auto picture = waves(pixels * 3, 0.5f, 0.5f), latents = waves(pixels / 16, 1.5f, 0.1f);
    for (const bool encoding : {true, false}) {
        options.encoder = encoding;
        options.decoder = !encoding;
        options.activationBytes = 0;
        const Bench whole(part, options);
        options.activationBytes = whole.codec->arenaBytes() / divisor;
        const Bench tiled(part, options);
        EXPECT_FALSE(whole.codec->isTiled());
        EXPECT_TRUE(tiled.codec->isTiled());
        EXPECT_LE(tiled.codec->arenaBytes(), options.activationBytes);
        std::vector<float> expected(encoding ? latents.size() : picture.size()), actual(expected.size());
        for (const auto& [bench, out] : {std::pair(&whole, &expected), std::pair(&tiled, &actual)}) {
            const auto status =
                encoding ? bench->codec->encode(picture, *out, {}) : bench->codec->decode(latents, *out, {});
            ASSERT_TRUE(status) << status.error().message;
        }
        EXPECT_LE(largestDifference(actual, expected), 2e-5) << (encoding ? "encoder" : "decoder");
    }
}

TEST(LatentCodec, TilesOnADeviceMakeNoDifference) {
    const auto part = klPart();
    LatentCodecOptions options{.width = 192, .height = 128};
    const Bench whole(part, options);
    options.activationBytes = whole.codec->arenaBytes() / 3;
    const Bench tiled(part, options, std::make_unique<kernels::QueueBackend>(processor()));
    EXPECT_TRUE(tiled.codec->isTiled());
    EXPECT_LE(tiled.codec->arenaBytes(), options.activationBytes);
    EXPECT_GT(tiled.codec->hostBytes(), 0u);
    const auto picture = waves(192 * 128 * 3, 0.5f, 0.5f);
    std::vector<float> latents(24 * 16 * 4), expectedLatents(latents), decoded(picture.size()),
        expected(picture.size());
    ASSERT_TRUE(whole.codec->encode(picture, expectedLatents, {}));
    ASSERT_TRUE(tiled.codec->encode(picture, latents, {}));
    EXPECT_LE(largestDifference(latents, expectedLatents), 2e-5);
    ASSERT_TRUE(whole.codec->decode(latents, expected, {}));
    ASSERT_TRUE(tiled.codec->decode(latents, decoded, {}));
    EXPECT_LE(largestDifference(decoded, expected), 2e-5);
}

TEST(LatentCodec, FramesAtOnceAreWhatTheyAreAlone) {
    constexpr std::size_t kPixels = 64 * 64, kFrames = 5;
    const auto pictures = waves(kFrames * kPixels * 3, 0.5f, 0.5f);
    for (const auto& part : {klPart(), *weights::openVae(testing::fixturesFolder() / "taesd-tiny")}) {
        const Bench alone(part, {.width = 64, .height = 64});
        std::vector<float> expectedLatents(kFrames * kPixels / 16), expected(pictures.size());
        for (std::size_t i = 0; i < kFrames; ++i) {
            const auto latents = std::span(expectedLatents).subspan(i * kPixels / 16, kPixels / 16);
            ASSERT_TRUE(alone.codec->encode(std::span(pictures).subspan(i * kPixels * 3, kPixels * 3), latents, {}));
            ASSERT_TRUE(alone.codec->decode(latents, std::span(expected).subspan(i * kPixels * 3, kPixels * 3), {}));
        }
        // Room for all of a batch, and for one frame alone.
        for (const std::size_t ceiling : {std::size_t{0}, alone.codec->arenaBytes() * 3 / 2}) {
            const Bench together(part, {.width = 64, .height = 64, .activationBytes = ceiling, .frames = 3});
            std::vector<float> latents(expectedLatents.size()), decoded(pictures.size());
            std::vector<std::span<const float>> inputs;
            std::vector<std::span<float>> outputs;
            for (std::size_t i = 0; i < kFrames; ++i) {
                inputs.push_back(std::span(pictures).subspan(i * kPixels * 3, kPixels * 3));
                outputs.push_back(std::span(decoded).subspan(i * kPixels * 3, kPixels * 3));
            }
            ASSERT_TRUE(together.codec->encodeFrames(inputs, latents, {}));
            EXPECT_LE(largestDifference(latents, expectedLatents), 2e-5);
            ASSERT_TRUE(together.codec->decodeFrames(latents, outputs, {}));
            EXPECT_LE(largestDifference(decoded, expected), 2e-5);
        }
    }
}

TEST(LatentCodec, TilesOfAutoencoderKlMakeNoDifference) {
    for (const std::size_t divisor : {2, 4})
        expectTilesToMakeNoDifference(klPart(), {.width = 192, .height = 128}, divisor);
    expectTilesToMakeNoDifference(klPart(), {.width = 264, .height = 88}, 3);
    expectTilesToMakeNoDifference(klPart(), {.width = 56, .height = 232}, 3);
}

TEST(LatentCodec, TilesOfTinyAutoencoderMakeNoDifference) {
    const auto part = weights::openVae(testing::fixturesFolder() / "taesd-tiny");
    ASSERT_TRUE(part) << part.error().message;
    for (const std::size_t divisor : {2, 4})
        expectTilesToMakeNoDifference(*part, {.width = 192, .height = 128}, divisor);
}

TEST(LatentCodec, SizesOffTheGridAreRefused) {
    kernels::CpuBackend backend(kernels::CpuOptions{.threads = 1});
    const auto part = klPart();
    const auto codec = LatentCodec::create(part.weights, part.config, backend, {.width = 60, .height = 64});
    ASSERT_FALSE(codec);
    EXPECT_NE(codec.error().message.find("multiples of 8"), std::string::npos) << codec.error().message;
}

TEST(LatentCodec, WhatIsNotFiniteIsNoPicture) {
    Bench bench(klPart(), {.width = 32, .height = 32});
    std::vector<float> latents(4 * 4 * 4, std::numeric_limits<float>::quiet_NaN()), picture(32 * 32 * 3);
    const auto status = bench.codec->decode(latents, picture, {});
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("not finite"), std::string::npos) << status.error().message;
}

TEST(LatentCodec, CancelEndsIt) {
    Bench bench(klPart(), {.width = 32, .height = 32});
    std::vector<float> latents(4 * 4 * 4), picture(32 * 32 * 3);
    const auto status = bench.codec->decode(latents, picture, [] { return true; });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, StatusCode::Cancelled);
}

}  // namespace
}  // namespace reelbrush::diffusion
