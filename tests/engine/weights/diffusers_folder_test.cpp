#include "engine/weights/diffusers_folder.h"

#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using testing::SafetensorsWriter;
using testing::ScratchFolder;
using testing::writeBytes;

const fs::path kStarter = REELBRUSH_SOURCE_DIR "/resources/models/starter";

TEST(DiffusersFolder, OpensTheStarterModel) {
    ASSERT_TRUE(DiffusersFolder::isOne(kStarter));
    const auto model = DiffusersFolder::open(kStarter);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_THAT(model->components(), ElementsAre(Key("image_encoder"), Key("scheduler"), Key("unet"), Key("vae")));
    const auto unet = model->component("unet");
    ASSERT_TRUE(unet);
    EXPECT_EQ((*unet)->config.at("in_channels"), 32);
    const auto weights = (*unet)->openWeights();
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_NEAR(static_cast<double>((*weights)->parameters()), 19.5e6, 0.1e6);
    const auto conv = (*weights)->find("down_blocks.0.resnets.0.conv1.weight");
    ASSERT_TRUE(conv);
    EXPECT_TRUE(conv->isQuantised());
    EXPECT_EQ(conv->shape, (kernels::Shape{96, 96, 3, 3}));
    EXPECT_EQ((*model->component("scheduler"))->config.at("timestep_spacing"), "trailing");
    const auto tokens = model->openLooseWeights("image_proj.safetensors");
    ASSERT_TRUE(tokens);
    EXPECT_TRUE((*tokens)->contains("null_tokens"));
}

TEST(DiffusersFolder, NamesMissingParts) {
    const auto model = DiffusersFolder::open(kStarter);
    ASSERT_TRUE(model);
    EXPECT_FALSE(model->has("text_encoder"));
    const auto missing = model->component("text_encoder");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, AllOf(HasSubstr("no part 'text_encoder'"), HasSubstr("'unet', 'vae'")));
    EXPECT_THAT(model->openLooseWeights("other.safetensors").error().message, HasSubstr("lacks the file"));
    const auto noWeights = (*model->component("scheduler"))->openWeights();
    ASSERT_FALSE(noWeights);
    EXPECT_THAT(noWeights.error().message, HasSubstr("has no weights"));
}

TEST(DiffusersFolder, PrefersFullPrecisionThenFp16ThenAsksForSafetensors) {
    const ScratchFolder scratch;
    const fs::path unet = scratch.path() / "unet";
    writeBytes(unet / "config.json", R"({"in_channels":4})");
    const auto chosen = [&] {
        const auto part = readDiffusersComponent(unet);
        return part ? part->weightsFile.filename().string() : part.error().message;
    };
    EXPECT_EQ(chosen(), "");
    writeBytes(unet / "diffusion_pytorch_model.bin", "x");
    EXPECT_THAT(readDiffusersComponent(unet)->openWeights().error().message, HasSubstr("only as the pickle"));
    writeBytes(unet / "diffusion_pytorch_model.safetensors.index.fp16.json", "{}");
    EXPECT_EQ(chosen(), "diffusion_pytorch_model.safetensors.index.fp16.json");
    SafetensorsWriter().write(unet / "diffusion_pytorch_model.fp16.safetensors");
    EXPECT_EQ(chosen(), "diffusion_pytorch_model.fp16.safetensors");
    writeBytes(unet / "diffusion_pytorch_model.safetensors.index.json", "{}");
    EXPECT_EQ(chosen(), "diffusion_pytorch_model.safetensors.index.json");
    SafetensorsWriter().write(unet / "diffusion_pytorch_model.safetensors");
    EXPECT_EQ(chosen(), "diffusion_pytorch_model.safetensors");
}

TEST(DiffusersFolder, RefusesOtherFoldersAndDamagedConfigurations) {
    const ScratchFolder scratch;
    EXPECT_FALSE(DiffusersFolder::isOne(scratch.path()));
    EXPECT_THAT(DiffusersFolder::open(scratch.path()).error().message, HasSubstr("is not a model folder"));
    EXPECT_THAT(DiffusersFolder::open(scratch.path() / "none").error().message, HasSubstr("No such file"));
    for (const std::string& config : {std::string("{"), std::string("[1]"), std::string("{\"a\":\"\xff\"}"),
                                      std::string(200000, '['), std::string()}) {
        writeBytes(scratch.path() / "unet" / "config.json", config);
        const auto model = DiffusersFolder::open(scratch.path());
        ASSERT_FALSE(model);
        EXPECT_EQ(model.error().code, StatusCode::BadInput);
        EXPECT_THAT(model.error().message, HasSubstr("unet/config.json"));
    }
}

}  // namespace

}  // namespace reelbrush::weights
