#include "engine/diffusion/sampling/sampler.h"
#include "engine/diffusion/sampling/torch_noise.h"
#include "engine/diffusion/starter_graphs.h"
#include "engine/diffusion/style_encoder.h"
#include "engine/weights/lora_file.h"
#include "engine/weights/lora_merge.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/plan/plan.h"
#include "kernels/tensor/buffer.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace reelbrush::diffusion {
namespace {

using kernels::Precision;

const std::filesystem::path kModel = REELBRUSH_SOURCE_DIR "/resources/models/starter";

/// A plan with an arena of its own.
struct BoundPlan {
    kernels::Plan plan;
    kernels::Buffer arena;

    static BoundPlan compile(kernels::Graph graph, const kernels::WeightProvider& weights, kernels::Backend& backend) {
        auto plan = kernels::Plan::compile(std::move(graph), weights, backend);
        if (!plan) throw std::runtime_error(plan.error().message);
        auto arena = kernels::Buffer::allocate(plan->arenaBytes(), nullptr, "test");
        if (!arena) throw std::runtime_error(arena.error().message);
        BoundPlan bound{std::move(*plan), std::move(*arena)};
        if (auto status = bound.plan.bind({bound.arena.data(), bound.arena.sizeBytes()}); !status)
            throw std::runtime_error(status.error().message);
        return bound;
    }
};

struct ParityCase {
    const char* tag;
    Precision precision;
    double leastCosine, leastPsnr;
};

void PrintTo(const ParityCase& value, std::ostream* out) {
    *out << value.tag << (value.precision == Precision::Float32 ? ", float32" : ", int8");
}

/// Every stage of the golden stylisations, each fed with the golden output of the stage before, then the whole
/// denoising from the golden noise.
class StarterParity : public ::testing::TestWithParam<ParityCase> {
  protected:
    void SetUp() override {
        if (GetParam().precision == Precision::Int8 && !kernels::cpuHasFastInt8())
            GTEST_SKIP() << "this processor has no fast int8 products";
        auto opened = StarterModel::open(kModel);
        ASSERT_TRUE(opened) << opened.error().message;
        model_ = std::move(*opened);
    }

    std::vector<float> image(const char* stage) const { return golden_.image(name(stage)); }
    std::string name(const char* stage) const { return std::string(GetParam().tag) + "." + stage; }
    testing::Agreement compare(const char* stage, std::span<const float> computed,
                               const std::vector<float>& expected) const {
        return testing::agreement(name(stage), computed, expected);
    }
    int height() const { return static_cast<int>(golden_.shapeOf(name("content"))[2]); }
    int width() const { return static_cast<int>(golden_.shapeOf(name("content"))[3]); }

    std::shared_ptr<const kernels::WeightProvider> unetWeights() const {
        if (std::string(GetParam().tag) != "lora") return model_->unet;
        auto lora = weights::LoraFile::open(kModel / "loras" / "ukiyo-e.safetensors");
        if (!lora) throw std::runtime_error(lora.error().message);
        const std::vector<weights::LoraUse> uses{{*lora, 0.8f}};
        auto merged = weights::LoraMergedWeights::merge(model_->unet, uses, weights::LoraTarget{});
        if (!merged) throw std::runtime_error(merged.error().message);
        EXPECT_EQ((*merged)->coverage()[0].summary(), "78 of 78 modules applied");
        return *merged;
    }

    testing::GoldenTensors golden_{testing::starterGolden()};
    std::optional<StarterModel> model_;
    kernels::CpuBackend backend_{kernels::CpuOptions{.threads = 2, .precision = GetParam().precision}};
};

TEST_P(StarterParity, StyleTokens) {
    const bool hasPicture = std::string(GetParam().tag) != "lora";
    const auto tokens = hasPicture ? encodeStyle(*model_, image("style"), backend_) : nullStyleTokens(*model_);
    ASSERT_TRUE(tokens) << tokens.error().message;
    EXPECT_GE(compare("tokens", *tokens, golden_.values(name("tokens"))).cosine, 0.9999);
}

TEST_P(StarterParity, StructureLatents) {
    auto encode = BoundPlan::compile(starterEncodeGraph(*model_, {width(), height()}), *model_->vae, backend_);
    std::ranges::copy(image("structure"), encode.plan.input("picture").begin());
    ASSERT_TRUE(encode.plan.run());
    EXPECT_GE(compare("structure_latents", encode.plan.output("latents"), image("structure_latents")).cosine,
              GetParam().leastCosine);
}

TEST_P(StarterParity, NoiseIsPyTorchsSeedThree) {
    std::vector<float> noise(image("noise").size());
    fillLatentNoise(3, height() / 8, width() / 8, 16, noise);
    EXPECT_LE(compare("noise", noise, image("noise")).maxError, 2e-6);
}

TEST_P(StarterParity, DenoisingAndPicture) {
    auto denoise = BoundPlan::compile(starterDenoiseGraph(*model_, {width(), height()}), *unetWeights(), backend_);
    auto decode = BoundPlan::compile(starterDecodeGraph(*model_, {width(), height()}), *model_->vae, backend_);
    std::ranges::copy(golden_.values(name("tokens")), denoise.plan.input("tokens").begin());
    std::ranges::copy(image("structure_latents"), denoise.plan.input("structure").begin());
    denoise.plan.input("freedom")[0] = 1000.0f * golden_.values(name("d"))[0];
    const auto created = Sampler::create(model_->sampling, 8);
    ASSERT_TRUE(created) << created.error().message;
    Sampler& sampler = **created;
    std::vector<float> latents = image("noise");
    TorchCpuNoise freshNoise(0);
    ASSERT_TRUE(sampler.start({}, image("noise"), latents));
    for (std::size_t i = 0; i < 8; ++i) {
        std::ranges::copy(latents, denoise.plan.input("latents").begin());
        denoise.plan.input("timestep")[0] = sampler.timestep(i);
        ASSERT_TRUE(denoise.plan.run());
        const auto prediction = denoise.plan.output("prediction");
        if (i == 0) {
            EXPECT_GE(compare("v0", prediction, image("v0")).cosine, GetParam().leastCosine);
        }
        if (i == 4) {
            EXPECT_GE(compare("v4", prediction, image("v4")).cosine, GetParam().leastCosine);
        }
        ASSERT_TRUE(sampler.step(i, prediction, latents, freshNoise));
    }
    EXPECT_GE(compare("latents", latents, image("latents")).cosine, GetParam().leastCosine);
    std::ranges::copy(latents, decode.plan.input("latents").begin());
    ASSERT_TRUE(decode.plan.run());
    EXPECT_GE(compare("image", decode.plan.output("picture"), image("image")).psnr, GetParam().leastPsnr);
}

INSTANTIATE_TEST_SUITE_P(Tags, StarterParity,
                         ::testing::Values(ParityCase{"a", Precision::Float32, 0.9999, 60.0},
                                           ParityCase{"b", Precision::Float32, 0.9999, 60.0},
                                           ParityCase{"lora", Precision::Float32, 0.9999, 60.0},
                                           ParityCase{"a", Precision::Int8, 0.995, 40.0},
                                           ParityCase{"b", Precision::Int8, 0.995, 40.0},
                                           ParityCase{"lora", Precision::Int8, 0.995, 40.0}));

}  // namespace
}  // namespace reelbrush::diffusion
