#include "engine/weights/motion_module.h"

#include "engine/weights/model_fit.h"
#include "engine/weights/model_weights.h"
#include "tests/engine/weights/checkpoint_copy.h"
#include "tests/engine/weights/tiny_models.h"
#include "tests/engine/weights/weights_comparison.h"
#include "tests/support/test_data.h"

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
using testing::TinyMotionModule;
using testing::tinyMotionModule;

class MotionModule : public ::testing::Test {
  protected:
    fs::path write(const SafetensorsWriter& writer) { return writer.write(scratch_.path() / "motion.safetensors"); }
    ScratchFolder scratch_;
};

TEST_F(MotionModule, VersionsAreTold) {
    const std::tuple<TinyMotionModule, MotionVersion, BaseFamily> cases[] = {
        {{4, 24, false}, MotionVersion::V1, BaseFamily::Sd15},
        {{4, 32, true}, MotionVersion::V2, BaseFamily::Sd15},
        {{4, 32, false}, MotionVersion::V3, BaseFamily::Sd15},
        {{3, 32, false}, MotionVersion::Sdxl, BaseFamily::Sdxl},
        {{4, 0, true}, MotionVersion::AnimateLcm, BaseFamily::Sd15},
        {{4, 24, false, "module."}, MotionVersion::V1, BaseFamily::Sd15},
    };
    for (const auto& [kind, version, family] : cases) {
        const auto motion = openMotionModule(write(tinyMotionModule(kind)));
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
    const auto xl = openMotionModule(write(tinyMotionModule({3, 32, false})));
    ASSERT_TRUE(xl);
    auto model = openDiffusionModel(testing::tinyCheckpointFile());
    ASSERT_TRUE(model);
    EXPECT_THAT(checkFits(*xl, *model).error().message,
                AllOf(HasSubstr("the motion module"), HasSubstr("was made for SDXL"), HasSubstr("is SD 1.5")));
    const auto sd15 = openMotionModule(write(tinyMotionModule({})));
    ASSERT_TRUE(sd15);
    EXPECT_THAT(checkFits(*sd15, *model).error().message,
                HasSubstr("made for layers of width [32,32,32,32], and the model has [32,32,32,64]"));
    model->family = BaseFamily::Sd2;
    EXPECT_THAT(checkFits(*sd15, *model).error().message,
                AllOf(HasSubstr("was made for SD 1.5"),
                      HasSubstr("is SD 2.x, for which there are none; use a model of SD 1.5")));
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
    testing::addMotionLayers(damaged, "down_blocks.0.motion_modules.0", 32);
    EXPECT_THAT(openMotionModule(write(damaged)).error().message, HasSubstr("the file is incomplete"));
}

}  // namespace

}  // namespace reelbrush::weights
