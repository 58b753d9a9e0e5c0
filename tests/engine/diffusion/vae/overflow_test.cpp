#include "engine/diffusion/vae/latent_codec.h"
#include "engine/weights/diffusion_model.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/tensor/buffer.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace reelbrush::diffusion {
namespace {

using kernels::Step;

/// A device whose quantisable layers overflow above 65504, as half floats do.
class NarrowBackend : public kernels::Backend {
  public:
    Result<std::unique_ptr<Step>> prepare(const kernels::StepRequest& request) override {
        RB_ASSIGN(std::unique_ptr<Step> step, floats_.prepare(request));
        const auto* conv = std::get_if<kernels::Conv2d>(&request.node.op);
        if (!conv || !conv->mayQuantise) return step;
        return std::unique_ptr<Step>(std::make_unique<NarrowStep>(std::move(step), request.output, claimsInt8()));
    }
    void enter() override { floats_.enter(); }

  protected:
    virtual bool claimsInt8() const { return true; }

  private:
    class NarrowStep : public Step {
      public:
        NarrowStep(std::unique_ptr<Step> step, const kernels::Shape& output, bool int8)
            : step_(std::move(step)), count_(static_cast<std::size_t>(output.elements())), int8_(int8) {}
        std::size_t scratchBytes() const override { return step_->scratchBytes(); }
        std::size_t weightBytes() const override { return step_->weightBytes(); }
        Status loadWeights(const kernels::WeightProvider& weights) override { return step_->loadWeights(weights); }
        void bind(const kernels::StepBuffers& buffers) override {
            output_ = buffers.output;
            step_->bind(buffers);
        }
        Status run() override {
            RB_TRY(step_->run());
            for (std::size_t i = 0; i < count_; ++i)
                if (std::abs(output_[i]) > 65504.0f) output_[i] = std::copysign(INFINITY, output_[i]);
            return {};
        }
        bool isInt8() const override { return int8_; }

      private:
        std::unique_ptr<Step> step_;
        std::size_t count_;
        bool int8_;
        float* output_ = nullptr;
    };

    kernels::CpuBackend floats_{kernels::CpuOptions{.threads = 1, .precision = kernels::Precision::Float32}};
};

/// The same for every layer, with a wider type to go over to.
class HalfBackend final : public NarrowBackend {
  public:
    Result<Backend*> wider() override { return &wider_; }

  protected:
    bool claimsInt8() const override { return false; }

  private:
    kernels::CpuBackend wider_{kernels::CpuOptions{.threads = 1, .precision = kernels::Precision::Float32}};
};

/// Weights of which some are multiplied.
class BlownUpWeights : public weights::ListedWeights {
  public:
    BlownUpWeights(std::shared_ptr<const weights::ListedWeights> plain,
                   const std::map<std::string, float, std::less<>>& factors)
        : plain_(std::move(plain)) {
        for (const auto& [name, factor] : factors) {
            const auto view = plain_->find(name);
            if (!view) throw std::runtime_error(view.error().message);
            auto& values = blownUp_[name];
            values.resize(static_cast<std::size_t>(view->shape.elements()));
            view->toFloat(values.data());
            for (float& value : values) value *= factor;
        }
    }
    const std::vector<std::string>& names() const override { return plain_->names(); }
    void dropPages() const override {}
    bool contains(std::string_view name) const override { return plain_->contains(name); }
    Result<kernels::WeightView> find(std::string_view name) const override {
        RB_ASSIGN(kernels::WeightView view, plain_->find(name));
        if (const auto found = blownUp_.find(name); found != blownUp_.end()) {
            view = kernels::WeightView{.dtype = kernels::DType::F32, .shape = view.shape, .data = found->second.data()};
        }
        return view;
    }

  private:
    std::shared_ptr<const weights::ListedWeights> plain_;
    std::map<std::string, std::vector<float>, std::less<>> blownUp_;
};

/// Layers whose output goes through a group norm, which takes the factor out again.
const std::map<std::string, float, std::less<>> kLargeInside{{"decoder.up_blocks.0.resnets.0.conv1.weight", 1e7f},
                                                             {"decoder.up_blocks.0.resnets.0.conv1.bias", 1e7f}};

weights::ModelPart klPart() {
    const auto model = weights::openDiffusionModel(testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors");
    if (!model) throw std::runtime_error(model.error().message);
    return model->vae;
}

constexpr int kSize = 64;

/// A codec bound to an arena of its own, and what it makes of some latents.
struct Decoded {
    std::unique_ptr<LatentCodec> codec;
    kernels::Buffer arena;
    std::vector<float> picture = std::vector<float>(kSize * kSize * 3, 0.0f);
    Status status;

    Decoded(const weights::ModelPart& part, kernels::Backend& backend,
            const std::map<std::string, float, std::less<>>& factors, std::size_t activationBytes = 0) {
        auto made = LatentCodec::create(
            std::make_shared<BlownUpWeights>(part.weights, factors), part.config, backend,
            {.width = kSize, .height = kSize, .activationBytes = activationBytes, .encoder = false});
        if (!made) throw std::runtime_error(made.error().message);
        codec = std::move(*made);
        auto space = kernels::Buffer::allocate(codec->arenaBytes(), nullptr, "test");
        if (!space || !codec->bind({space->data(), space->sizeBytes()})) throw std::runtime_error("no arena");
        arena = std::move(*space);
        again();
    }

    void again() {
        std::vector<float> latents(kSize * kSize / 16);
        for (std::size_t i = 0; i < latents.size(); ++i) latents[i] = std::sin(0.7f * static_cast<float>(i));
        status = codec->decode(latents, picture, {});
    }
};

TEST(VaeOverflow, IsComputedAgainInFloat32) {
    const auto part = klPart();
    kernels::CpuBackend floats(kernels::CpuOptions{.threads = 1, .precision = kernels::Precision::Float32});
    const Decoded expected(part, floats, kLargeInside);
    ASSERT_TRUE(expected.status) << expected.status.error().message;
    EXPECT_TRUE(expected.codec->notes().empty());

    NarrowBackend int8;
    HalfBackend half;
    for (NarrowBackend* backend : {&int8, static_cast<NarrowBackend*>(&half)}) {
        Decoded actual(part, *backend, kLargeInside);
        ASSERT_TRUE(actual.status) << actual.status.error().message;
        ASSERT_EQ(actual.codec->notes().size(), 1u);
        EXPECT_NE(actual.codec->notes()[0].find("float32"), std::string::npos) << actual.codec->notes()[0];
        for (std::size_t i = 0; i < actual.picture.size(); ++i)
            ASSERT_NEAR(actual.picture[i], expected.picture[i], 1e-4) << i;

        // Told once, and the next picture is as good.
        actual.again();
        ASSERT_TRUE(actual.status);
        EXPECT_EQ(actual.codec->notes().size(), 1u);
        ASSERT_TRUE(actual.codec->bind({actual.arena.data(), actual.arena.sizeBytes()}));
        actual.again();
        ASSERT_TRUE(actual.status);
    }
}

TEST(VaeOverflow, WithoutOverflowNothingIsComputedAgain) {
    NarrowBackend narrow;
    const Decoded decoded(klPart(), narrow, {});
    ASSERT_TRUE(decoded.status) << decoded.status.error().message;
    EXPECT_TRUE(decoded.codec->notes().empty());
}

TEST(VaeOverflow, OfTilesToo) {
    const auto part = klPart();
    NarrowBackend narrow;
    const std::size_t whole = Decoded(part, narrow, {}).codec->arenaBytes();
    const Decoded decoded(part, narrow, kLargeInside, whole / 2);
    ASSERT_TRUE(decoded.codec->isTiled());
    ASSERT_TRUE(decoded.status) << decoded.status.error().message;
    EXPECT_EQ(decoded.codec->notes().size(), 1u);
}

TEST(VaeOverflow, OfFloat32IsAnErrorNotABlackPicture) {
    const auto part = klPart();
    kernels::CpuBackend floats(kernels::CpuOptions{.threads = 1, .precision = kernels::Precision::Float32});
    NarrowBackend narrow;
    // Whole and in tiles, with a type to go over to and without.
    for (const std::size_t ceiling : {std::size_t{0}, std::size_t{600} << 10})
        for (kernels::Backend* backend : std::initializer_list<kernels::Backend*>{&floats, &narrow}) {
            const Decoded decoded(part, *backend, {{"decoder.conv_in.weight", 3e38f}}, ceiling);
            ASSERT_FALSE(decoded.status);
            EXPECT_EQ(decoded.status.error().code, StatusCode::BadInput);
            EXPECT_NE(decoded.status.error().message.find("VAE"), std::string::npos) << decoded.status.error().message;
            EXPECT_NE(decoded.status.error().message.find("not finite"), std::string::npos);
        }
}

}  // namespace
}  // namespace reelbrush::diffusion
