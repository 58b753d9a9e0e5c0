#include "engine/weights/diffusion_model.h"

#include "engine/weights/json_file.h"
#include "tests/engine/weights/weights_comparison.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::sharedFolder;

/// Text encoders of the tiny models have heads that cannot be seen in their weights.
const json kTinyText = {{"num_attention_heads", 4}};

TEST(DiffusionModel, SingleFileOfSd15IsItsDiffusersFolder) {
    const auto shared = sharedFolder();
    if (!shared) GTEST_SKIP() << "no shared folder";
    const fs::path sd15 = *shared / "fixtures" / "sd15-tiny";
    OpenModelOptions options;
    options.configOverrides = {{"text_encoder", kTinyText}};
    const auto file = openDiffusionModel(sd15 / "single_file.safetensors", options);
    ASSERT_TRUE(file) << file.error().message;
    const auto folder = openDiffusionModel(sd15 / "diffusers");
    ASSERT_TRUE(folder) << folder.error().message;
    for (const auto* model : {&*file, &*folder}) {
        EXPECT_EQ(model->family, BaseFamily::Sd15);
        EXPECT_EQ(model->variant, ModelVariant::Plain);
        EXPECT_FALSE(model->textEncoder2.weights);
        EXPECT_THAT(model->unreadTensors, IsEmpty());
        EXPECT_TRUE(requireWholeModel(*model));
        EXPECT_EQ(model->schedulerConfig.at("prediction_type"), "epsilon");
        EXPECT_EQ(model->schedulerConfig.at("beta_schedule"), "scaled_linear");
    }
    EXPECT_EQ(testing::differences(*file->unet.weights, *folder->unet.weights), "");
    EXPECT_EQ(testing::differences(*file->vae.weights, *folder->vae.weights), "");
    EXPECT_EQ(testing::differences(*file->textEncoder.weights, *folder->textEncoder.weights), "");
    // Inferred fields are those of the stored configuration, each of them.
    EXPECT_EQ(testing::contradictions(file->unet.config, folder->unet.config), "");
    EXPECT_EQ(testing::contradictions(file->vae.config, folder->vae.config), "");
    json text = file->textEncoder.config;
    text.erase("architectures");   // the stored one leaves it out,
    text.erase("projection_dim");  // and has the default of another model here, which no graph reads
    EXPECT_EQ(testing::contradictions(text, folder->textEncoder.config), "");
}

}  // namespace

}  // namespace reelbrush::weights
