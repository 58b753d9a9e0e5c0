#include "engine/weights/diffusion_model.h"
#include "engine/weights/layouts/implied_names.h"
#include "engine/weights/model_part_files.h"
#include "tests/engine/weights/checkpoint_copy.h"
#include "tests/engine/weights/tiny_models.h"
#include "tests/engine/weights/weights_comparison.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using testing::CopyOptions;
using testing::copyWeights;
using testing::differences;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SafetensorsWriter;
using testing::ScratchFolder;

class DiffusionModelSd2 : public ::testing::Test {
  protected:
    Result<DiffusionModelFiles> open(const SafetensorsWriter& writer, Prediction prediction = Prediction::Auto) {
        OpenModelOptions options;
        options.prediction = prediction;
        return openDiffusionModel(writer.write(scratch_.path() / "m.safetensors"), options);
    }
    std::string predictionOf(const SafetensorsWriter& writer, Prediction prediction = Prediction::Auto) {
        const auto model = open(writer, prediction);
        return model ? model->schedulerConfig.at("prediction_type").get<std::string>() : model.error().message;
    }
    ScratchFolder scratch_;
};

TEST_F(DiffusionModelSd2, OpenClipBecomesTheTextEncoderWithoutItsLastLayer) {
    const auto model = open(testing::tinySd2().addZeros(testing::kSpreadBias, {32}));
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, BaseFamily::Sd2);
    EXPECT_THAT(model->unreadTensors, IsEmpty());
    EXPECT_EQ(model->unet.config.at("use_linear_projection"), true);
    EXPECT_EQ(model->unet.config.at("attention_head_dim"), 1);  // one for each 64 channels, at least one
    EXPECT_EQ(model->textEncoder.config.at("num_hidden_layers"), 3);
    EXPECT_EQ(model->textEncoder.config.at("hidden_act"), "gelu");
    EXPECT_EQ(model->textEncoder.config.at("pad_token_id"), 0);
    const auto sd15 = openDiffusionModel(testing::tinyCheckpointFile());
    ASSERT_TRUE(sd15);
    EXPECT_EQ(differences(*model->textEncoder.weights, *sd15->textEncoder.weights), "");
    EXPECT_TRUE(requireWholeModel(*model));
}

TEST_F(DiffusionModelSd2, OpenClipOfSdxlKeepsLayersAndTransposesItsProjection) {
    SafetensorsWriter writer;
    testing::addOpenClip(*testing::tinyCheckpoint(), "", writer);
    const auto part =
        openTextEncoder(writer.write(scratch_.path() / "clip_g.safetensors"), TextEncoderRole::SdxlSecond);
    ASSERT_TRUE(part) << part.error().message;
    EXPECT_EQ(part->config.at("num_hidden_layers"), 4);
    EXPECT_EQ(part->config.at("projection_dim"), 16);
    const auto view = part->weights->find("text_projection.weight");
    ASSERT_TRUE(view);
    std::vector<float> values(256);
    view->toFloat(values.data());
    EXPECT_EQ(values[1], 16.0f);  // stored row by row as 0, 1, 2 ...
    EXPECT_EQ(values[16], 1.0f);
}

TEST_F(DiffusionModelSd2, PredictionComesFromTheUserThenMarksThenMetadataThenTheSpread) {
    const auto plain = [] { return testing::tinySd2().addZeros(testing::kSpreadBias, {32}); };
    EXPECT_EQ(predictionOf(plain()), "epsilon");
    EXPECT_EQ(predictionOf(plain(), Prediction::VPrediction), "v_prediction");
    EXPECT_EQ(predictionOf(plain().setMetadata("modelspec.prediction_type", "v")), "v_prediction");
    EXPECT_EQ(predictionOf(plain().setMetadata("modelspec.architecture", "stable-diffusion-v2-768-v")), "v_prediction");
    EXPECT_EQ(predictionOf(plain().setMetadata("modelspec.prediction_type", "v"), Prediction::Epsilon), "epsilon");
    EXPECT_EQ(predictionOf(plain().addZeros("v_pred", {0})), "v_prediction");

    std::vector<float> spread(32);
    for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = i % 2 ? 0.2f : -0.2f;
    const auto wide = [&] { return testing::tinySd2().addF16(testing::kSpreadBias, {32}, spread); };
    EXPECT_EQ(predictionOf(wide()), "v_prediction");
    EXPECT_EQ(predictionOf(wide().setMetadata("modelspec.prediction_type", "epsilon")), "epsilon");
    EXPECT_EQ(predictionOf(wide(), Prediction::Epsilon), "epsilon");
}

TEST_F(DiffusionModelSd2, ZeroTerminalSnrIsMarkedAndMarksAreNotUnread) {
    const auto model =
        open(testing::tinySd2().addZeros(testing::kSpreadBias, {32}).addZeros("v_pred", {0}).addZeros("ztsnr", {0}));
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->schedulerConfig.at("rescale_betas_zero_snr"), true);
    EXPECT_EQ(model->schedulerConfig.at("timestep_spacing"), "trailing");
    EXPECT_THAT(model->unreadTensors, IsEmpty());
}

TEST_F(DiffusionModelSd2, TextEncoderOfAnotherModelIsRefused) {
    SafetensorsWriter wide;
    const auto names = impliedTextEncoderNames({{"num_hidden_layers", 1}});
    for (const std::string& name : *names) {
        const bool isEmbedding = name.find("embedding.weight") != name.npos;
        wide.addZeros(name, isEmbedding ? SafetensorsWriter::Dims{77, 64} : SafetensorsWriter::Dims{64});
    }
    OpenModelOptions options;
    options.textEncoder = wide.write(scratch_.path() / "clip.safetensors");
    const auto model = openDiffusionModel(testing::tinyCheckpointFile(), options);
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().message, HasSubstr("reads text of width 16, but the text encoder is 64 wide"));
}

}  // namespace

}  // namespace reelbrush::weights
