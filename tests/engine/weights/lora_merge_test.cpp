#include "engine/weights/lora_merge.h"

#include "engine/weights/model_weights.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace reelbrush::weights {

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SafetensorsWriter;
using testing::ScratchFolder;
using ::testing::SizeIs;

const std::filesystem::path kStarter = REELBRUSH_SOURCE_DIR "/resources/models/starter";

std::vector<float> valuesOf(const kernels::WeightProvider& provider, std::string_view name) {
    const auto view = provider.find(name);
    if (!view) throw std::runtime_error(view.error().message);
    std::vector<float> values(static_cast<std::size_t>(view->shape.elements()));
    view->toFloat(values.data());
    return values;
}

/// A model with an int8 linear layer [2,3], a convolution [2,3,1,2] and a 1x1 convolution [2,3,1,1].
class LoraMergeTest : public ::testing::Test {
  protected:
    LoraMergeTest() {
        SafetensorsWriter writer;
        writer.addI8("lin.weight", {2, 3}, {1, 2, 3, 4, 5, 6})
            .addF16("lin.weight_scale", {2}, {0.5f, 2})
            .addF16("lin.bias", {2}, {1, 1})
            .addF32("conv.weight", {2, 3, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
            .addF16("point.weight", {2, 3, 1, 1}, {1, 2, 3, 4, 5, 6});
        model_ = *ModelWeights::open(writer.write(scratch_.path() / "model.safetensors"));
    }
    std::shared_ptr<const LoraFile> lora(const SafetensorsWriter& writer, const char* name = "style.safetensors") {
        const auto file = LoraFile::open(writer.write(scratch_.path() / name));
        if (!file) throw std::runtime_error(file.error().message);
        return *file;
    }
    Result<std::shared_ptr<const LoraMergedWeights>> merge(std::vector<LoraUse> uses, const LoraTarget& target = {}) {
        return LoraMergedWeights::merge(model_, uses, target);
    }

    ScratchFolder scratch_;
    std::shared_ptr<const ModelWeights> model_;
};

SafetensorsWriter linearLora() {
    SafetensorsWriter writer;
    writer.addF32("unet.lin.lora_A.weight", {1, 3}, {1, 10, 100}).addF32("unet.lin.lora_B.weight", {2, 1}, {1, -2});
    return writer;
}

TEST_F(LoraMergeTest, AddsTheUpdateToTheDequantisedWeight) {
    const auto merged = merge({{lora(linearLora().setMetadata("alpha", "2")), 0.5f}});
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_THAT((*merged)->touchedWeights(), ElementsAre("lin.weight"));
    // strength 0.5 * alpha 2 / rank 1 = 1
    EXPECT_THAT(valuesOf(**merged, "lin.weight"), ElementsAre(1.5f, 11, 101.5f, 6, -10, -188));
    const auto view = (*merged)->find("lin.weight");
    EXPECT_EQ(view->dtype, kernels::DType::F32);
    EXPECT_FALSE(view->isQuantised());
    EXPECT_EQ(view->shape, (kernels::Shape{2, 3}));
    EXPECT_EQ((*merged)->find("lin.bias")->data, model_->find("lin.bias")->data);
    EXPECT_EQ((*merged)->find("conv.weight")->data, model_->find("conv.weight")->data);
    EXPECT_FALSE((*merged)->find("none"));
    EXPECT_TRUE((*merged)->coverage()[0].isComplete());
    EXPECT_EQ((*merged)->coverage()[0].warning(), "");
}

TEST_F(LoraMergeTest, MergesConvolutionsAndLinearUpdatesOfPointwiseOnes) {
    SafetensorsWriter writer;
    writer.addF32("conv.lora_A.weight", {2, 3, 1, 2}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
        .addF32("conv.lora_B.weight", {2, 2, 1, 1}, {1, 2, 3, 4})
        .addF32("point.lora_A.weight", {1, 3}, {1, 2, 3})
        .addF32("point.lora_B.weight", {2, 1}, {1, 10});
    const auto merged = merge({{lora(writer), 1}});
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_THAT(valuesOf(**merged, "conv.weight"), ElementsAre(2, 2, 3, 4, 5, 8, 10, 8, 9, 10, 11, 16));
    EXPECT_THAT(valuesOf(**merged, "point.weight"), ElementsAre(2, 4, 6, 14, 25, 36));
    EXPECT_EQ((*merged)->find("point.weight")->shape, (kernels::Shape{2, 3, 1, 1}));
}

TEST_F(LoraMergeTest, SumsSeveralLorasAndLeavesStrengthZeroUntouched) {
    const auto one = lora(linearLora(), "one.safetensors");
    const auto both = merge({{one, 1}, {one, -0.5f}});
    ASSERT_TRUE(both);
    EXPECT_THAT(valuesOf(**both, "lin.weight"), ElementsAre(1, 6, 51.5f, 7, 0, -88));
    EXPECT_THAT((*both)->coverage(), SizeIs(2));
    const auto none = merge({{one, 0}});
    ASSERT_TRUE(none);
    EXPECT_THAT((*none)->touchedWeights(), IsEmpty());
    EXPECT_TRUE((*none)->find("lin.weight")->isQuantised());
    EXPECT_EQ((*none)->coverage()[0].summary(), "1 of 1 modules applied");
    EXPECT_TRUE(merge({}));
}

TEST_F(LoraMergeTest, ViewsOwnTheirLayerWhileOthersAreComputed) {
    const auto merged = merge({{lora(linearLora()
                                         .addF32("conv.lora_A.weight", {1, 3, 1, 2}, {1, 1, 1, 1, 1, 1})
                                         .addF32("conv.lora_B.weight", {2, 1, 1, 1}, {1, 2})),
                                1}});
    ASSERT_TRUE(merged) << merged.error().message;
    const auto first = *(*merged)->find("lin.weight");
    const auto again = *(*merged)->find("lin.weight");
    EXPECT_EQ(first.data, again.data) << "the last weight is not computed twice";
    const auto other = *(*merged)->find("conv.weight");
    EXPECT_NE(first.data, other.data);
    EXPECT_EQ(static_cast<const float*>(first.data)[0], 1.5f);
    EXPECT_EQ(static_cast<const float*>(other.data)[0], 2);
    EXPECT_EQ((*merged)->names(), model_->names());
    EXPECT_EQ((*merged)->find("lin.bias")->owner, nullptr);
}

TEST_F(LoraMergeTest, AddsToBiasesAndNorms) {
    SafetensorsWriter writer;
    writer.addF32("lora_unet_lin.diff", {2, 3}, {1, 0, 0, 0, 0, 1})
        .addF32("lora_unet_lin.diff_b", {2}, {1, 2})
        .addF32("unet.point.lora_A.weight", {1, 3}, {0, 0, 0})
        .addF32("unet.point.lora_B.weight", {2, 1}, {0, 0})
        .addF32("unet.point.lora_B.bias", {2}, {4, 8})
        .addF32("unet.point.alpha", {}, {0.5f})
        .addF32("lora_unet_norm.w_norm", {2}, {1, -1})
        .addF32("lora_unet_norm.b_norm", {2}, {2, -2});
    SafetensorsWriter modelWriter;
    modelWriter.addF32("lin.weight", {2, 3}, {1, 2, 3, 4, 5, 6})
        .addF32("lin.bias", {2}, {1, 1})
        .addF32("point.weight", {2, 3, 1, 1}, {1, 2, 3, 4, 5, 6})
        .addF32("point.bias", {2}, {1, 1})
        .addF32("norm.weight", {2}, {1, 1})
        .addF32("norm.bias", {2}, {0, 0});
    model_ = *ModelWeights::open(modelWriter.write(scratch_.path() / "norms.safetensors"));
    const auto merged = merge({{lora(writer), 2}});
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ((*merged)->coverage()[0].summary(), "3 of 3 modules applied");
    EXPECT_THAT(valuesOf(**merged, "lin.weight"), ElementsAre(3, 2, 3, 4, 5, 8));
    EXPECT_THAT(valuesOf(**merged, "lin.bias"), ElementsAre(3, 5));
    EXPECT_THAT(valuesOf(**merged, "point.bias"), ElementsAre(5, 9));
    EXPECT_THAT(valuesOf(**merged, "norm.weight"), ElementsAre(3, -1));
    EXPECT_THAT(valuesOf(**merged, "norm.bias"), ElementsAre(4, -4));
    SafetensorsWriter noBias;
    noBias.addZeros("lora_unet_norm.w_norm", {2}).addZeros("lora_unet_point.diff_b", {3});
    const auto partial = merge({{lora(noBias), 1}});
    ASSERT_TRUE(partial);
    EXPECT_THAT((*partial)->coverage()[0].shapeMismatches, ElementsAre(HasSubstr("a bias of another length")));
}

TEST_F(LoraMergeTest, TextEncodersHaveTheirOwnPartAndStrength) {
    SafetensorsWriter textWriter;
    textWriter.addF32("text_model.encoder.layers.0.self_attn.q_proj.weight", {1, 2}, {1, 2});
    const auto text = *ModelWeights::open(textWriter.write(scratch_.path() / "text.safetensors"));
    LoraTarget target{.parts = {{"unet", model_}, {"text_encoder", text}}, .modelName = "SD 1.5"};
    auto writer = linearLora();
    writer.addF32("lora_te_text_model_encoder_layers_0_self_attn_q_proj.lora_down.weight", {1, 2}, {1, 1})
        .addF32("lora_te_text_model_encoder_layers_0_self_attn_q_proj.lora_up.weight", {1, 1}, {1});
    const auto file = lora(writer);
    const auto values = [&](LoraUse use) {
        const auto merged = mergeLoras(target, std::vector{use});
        EXPECT_TRUE(merged) << merged.error().message;
        EXPECT_EQ(merged->coverage[0].summary(), "2 of 2 modules applied");
        return std::pair(
            valuesOf(*merged->parts.at("unet"), "lin.weight")[0],
            valuesOf(*merged->parts.at("text_encoder"), "text_model.encoder.layers.0.self_attn.q_proj.weight")[0]);
    };
    EXPECT_EQ(values({file, 2}), std::pair(2.5f, 3.0f));
    EXPECT_EQ(values({file, 2, 0.5f}), std::pair(2.5f, 1.5f));
    EXPECT_EQ(values({file, 2, 0.0f}), std::pair(2.5f, 1.0f));
    EXPECT_EQ(values({file, 0, 1.0f}), std::pair(0.5f, 2.0f));
    EXPECT_EQ(values({file, 1, {}, *LoraBlockWeights::parse("BASE=3,lin=0")}), std::pair(0.5f, 4.0f));
    EXPECT_FALSE(mergeLoras(target, std::vector{LoraUse{file, 1, std::nanf("")}}));
}

TEST_F(LoraMergeTest, PartialCoverageIsAWarningThatListsWhatWasLeftOut) {
    auto writer = linearLora();
    writer.addZeros("unet.gone.lora_A.weight", {1, 3}).addZeros("unet.gone.lora_B.weight", {2, 1});
    writer.addZeros("unet.conv.lora_A.weight", {1, 3, 3, 3}).addZeros("unet.conv.lora_B.weight", {2, 1, 1, 1});
    writer.addZeros("text_encoder.lin.lora_A.weight", {1, 3}).addZeros("text_encoder.lin.lora_B.weight", {2, 1});
    writer.addZeros("stray", {1});
    const auto file = lora(writer);
    const auto merged = merge({{file, 1}});
    ASSERT_TRUE(merged) << merged.error().message;
    const LoraCoverage& coverage = (*merged)->coverage()[0];
    EXPECT_EQ(coverage.summary(), "1 of 4 modules applied");
    EXPECT_THAT(coverage.missing, ElementsAre("text_encoder.lin", "unet.gone"));
    EXPECT_EQ(coverage.modelName, kStarterModelName);
    ASSERT_THAT(coverage.shapeMismatches, SizeIs(1));
    EXPECT_THAT(coverage.shapeMismatches[0], AllOf(HasSubstr("unet.conv"), HasSubstr("[2,3,1,2]")));
    EXPECT_THAT(coverage.warning(), AllOf(Not(HasSubstr("style.safetensors")), HasSubstr("'unet.gone'"),
                                          HasSubstr("another shape"), HasSubstr("'stray'")));
}

TEST_F(LoraMergeTest, NothingThatFitsIsAnErrorThatNamesBothModels) {
    const auto message = [&](const SafetensorsWriter& writer) {
        const auto merged = merge({{lora(writer), 1}});
        EXPECT_FALSE(merged);
        return merged ? std::string() : merged.error().message;
    };
    SafetensorsWriter xl;
    xl.addZeros("unet.a.attn2.to_k.lora_A.weight", {1, 2048}).addZeros("unet.a.attn2.to_k.lora_B.weight", {2, 1});
    EXPECT_THAT(message(xl),
                AllOf(HasSubstr("0 of 1 modules applied"), HasSubstr("made for SDXL, this model is Reelbrush starter"),
                      HasSubstr("style.safetensors")));
    SafetensorsWriter shape;
    shape.addZeros("lin.lora_A.weight", {1, 7}).addZeros("lin.lora_B.weight", {2, 1});
    EXPECT_THAT(message(shape), AllOf(HasSubstr("other shapes"), HasSubstr("[2,3]")));
    SafetensorsWriter names;
    names.addZeros("elsewhere.lora_A.weight", {1, 3}).addZeros("elsewhere.lora_B.weight", {2, 1});
    EXPECT_THAT(message(names), HasSubstr("has no layers of these names: 'elsewhere'"));
    SafetensorsWriter bias;
    bias.addZeros("lin.bias.lora_A.weight", {1, 1}).addZeros("lin.bias.lora_B.weight", {2, 1});
    EXPECT_THAT(message(bias), HasSubstr("0 of 1"));
}

TEST_F(LoraMergeTest, ALoraOfAnotherBaseIsRefusedWhereMostOfItIsLost) {
    auto writer = linearLora();
    writer.addZeros("unet.a.lora_A.weight", {1, 3}).addZeros("unet.a.lora_B.weight", {2, 1});
    writer.setMetadata("ss_base_model_version", "sdxl_base_v1-0");
    const auto half = merge({{lora(writer), 1}}, {.modelName = "SD 1.5"});
    ASSERT_TRUE(half) << half.error().message;
    EXPECT_THAT((*half)->coverage()[0].warning(), HasSubstr("it is made for SDXL, this model is SD 1.5"));
    writer.addZeros("unet.b.lora_A.weight", {1, 3}).addZeros("unet.b.lora_B.weight", {2, 1});
    const auto most = merge({{lora(writer), 1}}, {.modelName = "SD 1.5"});
    ASSERT_FALSE(most);
    EXPECT_THAT(most.error().message, AllOf(HasSubstr("made for SDXL, this model is SD 1.5"), HasSubstr("1 of 3")));
    EXPECT_TRUE(merge({{lora(writer), 1}}, {.modelName = ""})) << "an unknown model may be the right one";
}

TEST_F(LoraMergeTest, RefusesValuesAndStrengthsThatAreNotFinite) {
    SafetensorsWriter writer;
    writer.addF32("lin.lora_A.weight", {1, 3}, {1, std::numeric_limits<float>::infinity(), 0});
    writer.addF32("lin.lora_B.weight", {2, 1}, {0, 0});
    EXPECT_THAT(merge({{lora(writer), 1}}).error().message, HasSubstr("not finite"));
    const auto merged = merge({{lora(linearLora()), std::nanf("")}});
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().code, StatusCode::BadInput);
}

TEST_F(LoraMergeTest, EqualsPlainLoopsOnRandomShapes) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    const auto draw = [&](std::size_t count) {
        std::vector<float> values(count);
        for (float& value : values) value = normal(random);
        return values;
    };
    for (const auto [out, in, rank] : {std::array<std::int64_t, 3>{1, 1, 1}, {17, 33, 5}, {64, 40, 8}, {5, 3, 16}}) {
        const auto size = [](std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(a * b); };
        const auto weight = draw(size(out, in)), down = draw(size(rank, in)), up = draw(size(out, rank));
        SafetensorsWriter modelWriter;
        modelWriter.addF32("w.weight", {out, in}, weight);
        const auto model = *ModelWeights::open(modelWriter.write(scratch_.path() / "random.safetensors"));
        SafetensorsWriter writer;
        writer.addF32("w.lora_A.weight", {rank, in}, down).addF32("w.lora_B.weight", {out, rank}, up);
        writer.setMetadata("alpha", "3");
        const std::vector<LoraUse> uses = {{lora(writer), 0.7f}};
        const auto merged = LoraMergedWeights::merge(model, uses, {});
        ASSERT_TRUE(merged) << merged.error().message;
        const auto values = valuesOf(**merged, "w.weight");
        for (std::int64_t o = 0; o < out; ++o)
            for (std::int64_t i = 0; i < in; ++i) {
                double expected = weight[size(o, in) + static_cast<std::size_t>(i)];
                for (std::int64_t r = 0; r < rank; ++r)
                    expected += 0.7 * 3.0 / static_cast<double>(rank) * up[static_cast<std::size_t>(o * rank + r)] *
                                down[static_cast<std::size_t>(r * in + i)];
                ASSERT_NEAR(values[static_cast<std::size_t>(o * in + i)], expected, 1e-4);
            }
    }
}

TEST_F(LoraMergeTest, EveryStarterLoraFitsTheStarterCompletely) {
    const auto unet = ModelWeights::open(kStarter / "unet" / "diffusion_pytorch_model.safetensors");
    ASSERT_TRUE(unet) << unet.error().message;
    const LoraDictionary starter({{"unet", *unet}});
    std::size_t loras = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kStarter / "loras")) {
        const auto file = LoraFile::open(entry.path());
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ((*file)->baseModel(), kStarterModelName);
        const auto matching = matchLora(**file, starter, kStarterModelName);
        ASSERT_TRUE(matching) << matching.error().message;
        EXPECT_EQ(matching->coverage.summary(), "78 of 78 modules applied");
        EXPECT_TRUE(matching->coverage.isComplete());
        EXPECT_EQ((*file)->modules()[0].factor, 1);
        ++loras;
    }
    EXPECT_EQ(loras, 10u);
}

TEST_F(LoraMergeTest, MergesAStarterLoraFromPristineWeights) {
    const auto unet = *ModelWeights::open(kStarter / "unet" / "diffusion_pytorch_model.safetensors");
    const std::vector<LoraUse> uses = {{*LoraFile::open(kStarter / "loras" / "ukiyo-e.safetensors"), 0.8f}};
    const auto merged = LoraMergedWeights::merge(unet, uses, {});
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_THAT((*merged)->touchedWeights(), SizeIs(78));
    const char* name = "down_blocks.0.resnets.0.conv1.weight";
    const auto before = valuesOf(*unet, name), after = valuesOf(**merged, name);
    const auto& file = *uses[0].lora;
    const auto down = *file.values(*file.file().find("unet.down_blocks.0.resnets.0.conv1.lora_A.weight"));
    const auto up = *file.values(*file.file().find("unet.down_blocks.0.resnets.0.conv1.lora_B.weight"));
    double change = 0;
    for (std::size_t o = 0; o < 96; ++o)
        for (std::size_t i = 0; i < 864; ++i) {
            double delta = 0;
            for (std::size_t r = 0; r < 4; ++r) delta += 0.8 * up[o * 4 + r] * down[r * 864 + i];
            change += std::abs(delta);
            ASSERT_NEAR(after[o * 864 + i], before[o * 864 + i] + delta, 1e-6);
        }
    EXPECT_GT(change, 1.0);
    // Again from pristine weights: the same bits.
    const auto again = *LoraMergedWeights::merge(unet, uses, {});
    EXPECT_EQ(valuesOf(*again, name), after);
}

TEST_F(LoraMergeTest, ALoraForAnotherModelDoesNotFitTheStarter) {
    const auto unet = *ModelWeights::open(kStarter / "unet" / "diffusion_pytorch_model.safetensors");
    const auto folder = testing::fixturesFolder() / "sd15-tiny" / "lora";
    const std::vector<LoraUse> uses = {{*LoraFile::open(folder / "peft.safetensors"), 1}};
    const auto merged = LoraMergedWeights::merge(unet, uses, {});
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().code, StatusCode::BadInput);
    EXPECT_THAT(merged.error().message, AllOf(HasSubstr("0 of 160 modules applied"), HasSubstr("peft.safetensors"),
                                              HasSubstr("Reelbrush starter")));
}

}  // namespace

}  // namespace reelbrush::weights
