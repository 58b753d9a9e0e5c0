#include "engine/weights/motion_module.h"

#include "engine/weights/model_fit.h"
#include "engine/weights/model_weights.h"
#include "tests/engine/weights/checkpoint_copy.h"
#include "tests/engine/weights/weights_comparison.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SafetensorsWriter;
using testing::ScratchFolder;

struct Published {
    int levels = 4;
    int positions = 24;  ///< 0: none stored
    bool hasMiddle = false;
    std::string wrapper = {};
};

void addModule(SafetensorsWriter& writer, const std::string& module, int positions) {
    const std::string transformer = module + ".temporal_transformer.";
    for (const char* layer : {"norm", "proj_in", "proj_out"}) {
        writer.addZeros(transformer + layer + ".weight", {32});
        writer.addZeros(transformer + layer + ".bias", {32});
    }
    const std::string block = transformer + "transformer_blocks.0.";
    for (int i = 0; i < 2; ++i) {
        const std::string attention = fmt::format("{}attention_blocks.{}.", block, i);
        for (const char* projection : {"to_q", "to_k", "to_v", "to_out.0"})
            writer.addZeros(attention + projection + ".weight", {32, 32});
        if (positions > 0) writer.addZeros(attention + "pos_encoder.pe", {1, positions, 32});
        writer.addZeros(fmt::format("{}norms.{}.weight", block, i), {32});
    }
    writer.addZeros(block + "ff_norm.weight", {32});
    writer.addZeros(block + "ff.net.0.proj.weight", {256, 32});
}

/// A motion module as AnimateDiff's authors publish it, of zeros.
SafetensorsWriter published(const Published& kind) {
    SafetensorsWriter writer;
    for (int level = 0; level < kind.levels; ++level) {
        for (int i = 0; i < 2; ++i)
            addModule(writer, fmt::format("{}down_blocks.{}.motion_modules.{}", kind.wrapper, level, i),
                      kind.positions);
        for (int i = 0; i < 3; ++i)
            addModule(writer, fmt::format("{}up_blocks.{}.motion_modules.{}", kind.wrapper, level, i), kind.positions);
    }
    if (kind.hasMiddle) addModule(writer, kind.wrapper + "mid_block.motion_modules.0", kind.positions);
    return writer;
}

class MotionModule : public ::testing::Test {
  protected:
    fs::path write(const SafetensorsWriter& writer) { return writer.write(scratch_.path() / "motion.safetensors"); }
    ScratchFolder scratch_;
};

TEST_F(MotionModule, VersionsAreTold) {
    const std::tuple<Published, MotionVersion, BaseFamily> cases[] = {
        {{4, 24, false}, MotionVersion::V1, BaseFamily::Sd15},
        {{4, 32, true}, MotionVersion::V2, BaseFamily::Sd15},
        {{4, 32, false}, MotionVersion::V3, BaseFamily::Sd15},
        {{3, 32, false}, MotionVersion::Sdxl, BaseFamily::Sdxl},
        {{4, 0, true}, MotionVersion::AnimateLcm, BaseFamily::Sd15},
        {{4, 24, false, "module."}, MotionVersion::V1, BaseFamily::Sd15},
    };
    for (const auto& [kind, version, family] : cases) {
        const auto motion = openMotionModule(write(published(kind)));
        ASSERT_TRUE(motion) << motion.error().message;
        EXPECT_STREQ(nameOf(motion->version), nameOf(version));
        EXPECT_EQ(motion->family, family);
        EXPECT_EQ(motion->hasMiddle, kind.hasMiddle);
        EXPECT_EQ(motion->positions, kind.positions);
        EXPECT_THAT(motion->unreadTensors, IsEmpty());
        EXPECT_EQ(motion->part.config.at("motion_max_seq_length"), kind.positions > 0 ? kind.positions : 32);
        const std::string block = "up_blocks.0.motion_modules.2.transformer_blocks.0.";
        for (const char* name : {"attn1.to_q.weight", "attn2.to_out.0.weight", "norm1.weight", "norm2.weight",
                                 "norm3.weight", "ff.net.0.proj.weight"})
            EXPECT_TRUE(motion->part.weights->contains(block + name)) << name;
        EXPECT_EQ(motion->part.weights->contains(block + "pos_embed.pe"), kind.positions > 0);
        EXPECT_TRUE(motion->part.weights->contains("down_blocks.0.motion_modules.0.proj_in.weight"));
    }
}

TEST_F(MotionModule, AdapterOfDiffusersIsInferredAsItsConfigurationSays) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "no shared folder";
    const fs::path folder = *shared / "fixtures" / "motion-tiny";
    const auto stated = openMotionModule(folder);
    ASSERT_TRUE(stated) << stated.error().message;
    EXPECT_EQ(stated->version, MotionVersion::V3);
    fs::copy_file(folder / "diffusion_pytorch_model.safetensors", scratch_.path() / "alone.safetensors");
    const auto inferred = openMotionModule(scratch_.path() / "alone.safetensors");
    ASSERT_TRUE(inferred) << inferred.error().message;
    EXPECT_EQ(testing::contradictions(inferred->part.config, stated->part.config), "");
    const auto stored = ModelWeights::open(scratch_.path() / "alone.safetensors");
    EXPECT_EQ(testing::differences(*inferred->part.weights, **stored), "");
    const auto model = openDiffusionModel(testing::tinyCheckpointFile());
    ASSERT_TRUE(model);
    EXPECT_TRUE(checkFits(*stated, *model));
}

TEST_F(MotionModule, ThatDoesNotFitIsRefused) {
    const auto xl = openMotionModule(write(published({3, 32, false})));
    ASSERT_TRUE(xl);
    auto model = openDiffusionModel(testing::tinyCheckpointFile());
    ASSERT_TRUE(model);
    EXPECT_THAT(checkFits(*xl, *model).error().message,
                AllOf(HasSubstr("the motion module"), HasSubstr("was made for SDXL"), HasSubstr("is SD 1.5")));
    const auto sd15 = openMotionModule(write(published({})));
    ASSERT_TRUE(sd15);
    EXPECT_THAT(checkFits(*sd15, *model).error().message, HasSubstr("block_out_channels is [32,32,32,32]"));
    model->family = BaseFamily::Sd2;
    EXPECT_THAT(checkFits(*sd15, *model).error().message,
                AllOf(HasSubstr("was made for SD 1.5"), HasSubstr("is SD 2.x; use one made for SD 2.x")));
}

TEST_F(MotionModule, OtherFilesAndDamagedOnesAreRefused) {
    EXPECT_THAT(openMotionModule(testing::tinyCheckpointFile()).error().message,
                HasSubstr("holds no motion module: it is a checkpoint"));
    SafetensorsWriter lora;
    lora.addZeros(
        "down_blocks.0.motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks.0."
        "processor.to_q_lora.down.weight",
        {4, 32});
    EXPECT_THAT(openMotionModule(write(lora)).error().message, HasSubstr("a LoRA for a motion module"));
    SafetensorsWriter damaged;
    addModule(damaged, "down_blocks.0.motion_modules.0", 32);
    EXPECT_THAT(openMotionModule(write(damaged)).error().message, HasSubstr("the file is incomplete"));
}

}  // namespace

}  // namespace reelbrush::weights
