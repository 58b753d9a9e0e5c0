// What holds for LoRAs of every family, on the fixtures.

#include "engine/weights/diffusion_model.h"
#include "engine/weights/lora_merge.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace reelbrush::weights {

namespace {

using ::testing::IsEmpty;

constexpr const char* kFamilies[] = {"kohya", "kohya_noalpha", "peft", "diffusers_attn_processor",
                                     "locon", "loha",          "lokr", "dora"};

class LoraPropertiesTest : public ::testing::Test {
  protected:
    LoraPropertiesTest() {
        const auto folder = testing::fixturesFolder() / "sd15-tiny";
        const auto model = openDiffusionModel(folder / "single_file.safetensors");
        if (!model) throw std::runtime_error(model.error().message);
        target_ = {.parts = {{"unet", model->unet.weights}, {"text_encoder", model->textEncoder.weights}},
                   .modelName = "SD 1.5"};
        for (const char* family : kFamilies) {
            const auto file = LoraFile::open(folder / "lora" / (std::string(family) + ".safetensors"));
            if (!file) throw std::runtime_error(file.error().message);
            loras_.push_back(*file);
        }
    }
    LoraMergedModel merged(const std::vector<LoraUse>& uses) const {
        auto model = mergeLoras(target_, uses);
        if (!model) throw std::runtime_error(model.error().message);
        return std::move(*model);
    }
    static std::vector<float> valuesOf(const kernels::WeightProvider& weights, const std::string& name) {
        const auto view = weights.find(name);
        if (!view) throw std::runtime_error(view.error().message);
        std::vector<float> values(static_cast<std::size_t>(view->shape.elements()));
        view->toFloat(values.data());
        return values;
    }
    void expectPristine(const LoraMergedModel& model) const {
        ASSERT_EQ(model.parts.size(), target_.parts.size());
        for (const auto& [part, weights] : model.parts) {
            const ListedWeights& pristine = *target_.parts.at(part);
            EXPECT_THAT(weights->touchedWeights(), IsEmpty());
            EXPECT_EQ(weights->names(), pristine.names());
            for (const std::string& name : weights->names()) {
                const auto before = *pristine.find(name), after = *weights->find(name);
                ASSERT_EQ(after.dtype, before.dtype) << name;
                ASSERT_EQ(after.data, before.data) << name;
            }
        }
    }

    LoraTarget target_;
    std::vector<std::shared_ptr<const LoraFile>> loras_;
};

TEST_F(LoraPropertiesTest, EveryFamilyFitsCompletely) {
    for (const auto& lora : loras_) {
        const LoraMergedModel model = merged({{lora, 1}});
        EXPECT_TRUE(model.coverage[0].isComplete()) << model.coverage[0].warning();
        EXPECT_EQ(model.coverage[0].applied, lora->modules().size());
    }
}

TEST_F(LoraPropertiesTest, StrengthZeroEqualsNoneBitForBit) {
    expectPristine(merged({}));
    for (const auto& lora : loras_) {
        expectPristine(merged({{lora, 0}}));
        expectPristine(merged({{lora, 1, 1.0f, *LoraBlockWeights::parse("*=0")}}));
    }
}

TEST_F(LoraPropertiesTest, OrderDoesNotMatter) {
    std::vector<LoraUse> uses;
    for (std::size_t i = 0; i < loras_.size(); ++i) uses.push_back({loras_[i], 0.3f + 0.1f * static_cast<float>(i)});
    const LoraMergedModel forwards = merged(uses);
    std::ranges::reverse(uses);
    const LoraMergedModel backwards = merged(uses);
    std::swap(uses[1], uses[5]);
    std::swap(uses[0], uses[3]);
    const LoraMergedModel mixed = merged(uses);
    for (const auto& [part, weights] : forwards.parts) {
        EXPECT_EQ(weights->touchedWeights(), backwards.parts.at(part)->touchedWeights());
        for (const std::string& name : weights->touchedWeights()) {
            const auto a = valuesOf(*weights, name), b = valuesOf(*backwards.parts.at(part), name),
                       c = valuesOf(*mixed.parts.at(part), name);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const float tolerance = 1e-6f * std::max(1.0f, std::abs(a[i]));
                ASSERT_NEAR(a[i], b[i], tolerance) << name;
                ASSERT_NEAR(a[i], c[i], tolerance) << name;
            }
        }
    }
}

TEST_F(LoraPropertiesTest, MergingAgainGivesTheSameBits) {
    std::vector<LoraUse> uses;
    for (const auto& lora : loras_) uses.push_back({lora, 0.8f});
    const LoraMergedModel once = merged(uses), twice = merged(uses);
    for (const auto& [part, weights] : once.parts)
        for (const std::string& name : weights->touchedWeights())
            ASSERT_EQ(valuesOf(*weights, name), valuesOf(*twice.parts.at(part), name)) << name;
}

TEST_F(LoraPropertiesTest, ALoraForSd15IsRefusedBySdxlByName) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "the larger fixtures are not there: set REELBRUSH_FIXTURES";
    const auto model = openDiffusionModel(*shared / "fixtures" / "sdxl-tiny" / "single_file.safetensors");
    ASSERT_TRUE(model) << model.error().message;
    const LoraTarget sdxl{.parts = {{"unet", model->unet.weights},
                                    {"text_encoder", model->textEncoder.weights},
                                    {"text_encoder_2", model->textEncoder2.weights}},
                          .modelName = nameOf(model->family)};
    const auto refused = mergeLoras(sdxl, std::vector{LoraUse{loras_[0], 1}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, StatusCode::BadInput);
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("it is made for SD 1.5, this model is SDXL"));
}

TEST_F(LoraPropertiesTest, BlockWeightsScaleTheirBlocksAlone) {
    const LoraMergedModel whole = merged({{loras_[2], 0.5f}});
    const LoraMergedModel blocks = merged({{loras_[2], 1, {}, *LoraBlockWeights::parse("mid_block=0.5,OUT11=0,*=1")}});
    const auto& a = *whole.parts.at("unet");
    const auto& b = *blocks.parts.at("unet");
    std::size_t inMiddle = 0;
    for (const std::string& name : a.touchedWeights()) {
        const bool isMiddle = name.starts_with("mid_block.");
        const bool isLast = name.starts_with("up_blocks.3.attentions.2.");
        inMiddle += isMiddle ? 1 : 0;
        EXPECT_EQ(std::ranges::binary_search(b.touchedWeights(), name), !isLast) << name;
        EXPECT_EQ(valuesOf(a, name) == valuesOf(b, name), isMiddle) << name;
    }
    EXPECT_GT(inMiddle, 0u);
}

}  // namespace

}  // namespace reelbrush::weights
