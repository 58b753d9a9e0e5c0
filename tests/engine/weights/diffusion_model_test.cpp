#include "engine/weights/diffusion_model.h"

#include "engine/weights/json_file.h"
#include "engine/weights/layouts/implied_names.h"
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
using nlohmann::json;
using testing::CopyOptions;
using testing::copyWeights;
using testing::differences;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SafetensorsWriter;
using testing::ScratchFolder;
using testing::sharedFolder;
using testing::writeBytes;

/// Text encoders of the tiny models have heads that cannot be seen in their weights.
const json kTinyText = {{"num_attention_heads", 4}};

json withoutTheUnread(json text) {
    text.erase("architectures");   // the stored one leaves it out,
    text.erase("projection_dim");  // and has the default of another model here, which no graph reads
    return text;
}

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
    EXPECT_EQ(differences(*file->unet.weights, *folder->unet.weights), "");
    EXPECT_EQ(differences(*file->vae.weights, *folder->vae.weights), "");
    EXPECT_EQ(differences(*file->textEncoder.weights, *folder->textEncoder.weights), "");
    EXPECT_EQ(testing::contradictions(file->unet.config, folder->unet.config), "");
    EXPECT_EQ(testing::contradictions(file->vae.config, folder->vae.config), "");
    EXPECT_EQ(testing::contradictions(withoutTheUnread(file->textEncoder.config), folder->textEncoder.config), "");
}

TEST(DiffusionModel, SdxlHasEveryNameThatItsConfigurationsImply) {
    const auto shared = sharedFolder();
    if (!shared) GTEST_SKIP() << "no shared folder";
    const fs::path sdxl = *shared / "fixtures" / "sdxl-tiny";
    const auto config = [&](const char* part) { return *readJsonObject(sdxl / "configs" / part / "config.json"); };
    OpenModelOptions options;
    options.configOverrides = {
        {"unet", {{"attention_head_dim", {2, 2, 4}}}}, {"text_encoder", kTinyText}, {"text_encoder_2", kTinyText}};
    const auto model = openDiffusionModel(sdxl / "single_file.safetensors", options);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, BaseFamily::Sdxl);
    EXPECT_THAT(model->unreadTensors, IsEmpty());
    EXPECT_TRUE(requireWholeModel(*model));
    EXPECT_EQ(model->unet.weights->names(), impliedUnetNames(config("unet")));
    EXPECT_EQ(model->vae.weights->names(), impliedVaeNames(config("vae")));
    EXPECT_EQ(model->textEncoder.weights->names(), impliedTextEncoderNames(config("text_encoder")));
    json second = config("text_encoder_2");
    second["architectures"] = {"CLIPTextModelWithProjection"};
    EXPECT_EQ(model->textEncoder2.weights->names(), impliedTextEncoderNames(second));
    EXPECT_EQ(testing::contradictions(model->unet.config, config("unet")), "");
    EXPECT_EQ(testing::contradictions(model->vae.config, config("vae")), "");
    EXPECT_EQ(testing::contradictions(withoutTheUnread(model->textEncoder.config), config("text_encoder")), "");
    EXPECT_EQ(testing::contradictions(model->textEncoder2.config, second), "");
}

TEST(DiffusionModel, InstructPix2PixAndInpaintingAreToldByTheirChannels) {
    const ScratchFolder scratch;
    const auto checkpoint = testing::tinyCheckpoint();
    const auto withChannels = [&](std::int64_t channels) {
        const std::string input = "model.diffusion_model.input_blocks.0.0.weight";
        SafetensorsWriter writer;
        CopyOptions options;
        options.rename = [&](const std::string& name) { return name == input ? "" : name; };
        copyWeights(*checkpoint, options, writer);
        writer.addZeros(input, {32, channels, 3, 3});
        return openDiffusionModel(writer.write(scratch.path() / "m.safetensors"));
    };
    EXPECT_EQ(withChannels(8)->variant, ModelVariant::InstructPix2Pix);
    EXPECT_EQ(withChannels(8)->unet.config.at("in_channels"), 8);
    EXPECT_EQ(withChannels(9)->variant, ModelVariant::Inpainting);
    EXPECT_THAT(withChannels(5).error().message, HasSubstr("its UNet takes 5 channels"));
}

TEST(DiffusionModel, InstructPix2PixUnetAloneTakesTheOtherPartsFromSd15) {
    const auto shared = sharedFolder();
    if (!shared) GTEST_SKIP() << "no shared folder";
    OpenModelOptions options;
    options.vae = options.textEncoder = testing::tinyCheckpointFile();
    const auto model = openDiffusionModel(*shared / "fixtures" / "ip2p-tiny" / "unet_only.safetensors", options);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, BaseFamily::Sd15);
    EXPECT_EQ(model->variant, ModelVariant::InstructPix2Pix);
    EXPECT_TRUE(requireWholeModel(*model));
    EXPECT_THAT(model->unreadTensors, IsEmpty());
}

TEST(DiffusionModel, UnetAloneSaysWhatIsMissingAndTakesItFromElsewhere) {
    const ScratchFolder scratch;
    const auto checkpoint = testing::tinyCheckpoint();
    SafetensorsWriter prefixed, bare, markers;
    CopyOptions options;
    options.rename = testing::exchangePrefix("model.diffusion_model.", "model.diffusion_model.");
    copyWeights(*checkpoint, options, prefixed);
    options.rename = testing::exchangePrefix("model.diffusion_model.", "");
    copyWeights(*checkpoint, options, bare);
    const auto whole = openDiffusionModel(testing::tinyCheckpointFile());
    ASSERT_TRUE(whole) << whole.error().message;
    options.rename = [](const std::string& name) { return name; };
    SafetensorsWriter diffusers;
    copyWeights(*whole->unet.weights, options, diffusers);
    for (const auto* writer : {&prefixed, &bare, &diffusers}) {
        const fs::path path = writer->write(scratch.path() / "unet.safetensors");
        const auto model = openDiffusionModel(path);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(differences(*model->unet.weights, *whole->unet.weights), "");
        EXPECT_FALSE(model->vae.weights);
        EXPECT_FALSE(model->textEncoder.weights);
        const Status incomplete = requireWholeModel(*model);
        ASSERT_FALSE(incomplete);
        EXPECT_THAT(incomplete.error().message, HasSubstr("holds only the UNet of an SD 1.5 model"));
        EXPECT_THAT(incomplete.error().message, HasSubstr("the text encoder (CLIP-L) and the VAE"));

        OpenModelOptions parts;
        parts.vae = parts.textEncoder = testing::tinyCheckpointFile();
        const auto filled = openDiffusionModel(path, parts);
        ASSERT_TRUE(filled) << filled.error().message;
        EXPECT_TRUE(requireWholeModel(*filled));
        EXPECT_EQ(differences(*filled->vae.weights, *whole->vae.weights), "");
        EXPECT_EQ(differences(*filled->textEncoder.weights, *whole->textEncoder.weights), "");
    }
}

TEST(DiffusionModel, EveryElementTypeAndShardsAreMappedAsTheyAre) {
    const ScratchFolder scratch;
    const auto checkpoint = testing::tinyCheckpoint();
    const auto whole = openDiffusionModel(testing::tinyCheckpointFile());
    ASSERT_TRUE(whole);
    CopyOptions options;
    options.rename = testing::exchangePrefix("model.diffusion_model.", "model.diffusion_model.");
    using kernels::DType;
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2}) {
        options.dtype = dtype;
        SafetensorsWriter writer;
        copyWeights(*checkpoint, options, writer);
        const auto model = openDiffusionModel(writer.write(scratch.path() / "m.safetensors"));
        ASSERT_TRUE(model) << model.error().message;
        const auto view = model->unet.weights->find("up_blocks.1.attentions.2.proj_out.weight");
        ASSERT_TRUE(view);
        EXPECT_EQ(view->dtype, dtype);
        if (kernels::sizeOf(dtype) >= 4 || dtype == DType::F16) {
            EXPECT_EQ(differences(*model->unet.weights, *whole->unet.weights), "");
        }
    }

    options.dtype = DType::F16;
    json map = json::object();
    for (int shard = 0; shard < 3; ++shard) {
        SafetensorsWriter writer;
        const std::string file = fmt::format("m-{}.safetensors", shard);
        std::size_t count = 0;
        options.rename = [&](const std::string& name) {
            if (count++ % 3 != static_cast<std::size_t>(shard)) return std::string();
            map[name] = file;
            return name;
        };
        copyWeights(*checkpoint, options, writer);
        writer.write(scratch.path() / file);
    }
    const auto index = writeBytes(scratch.path() / "m.safetensors.index.json", json{{"weight_map", map}}.dump());
    const auto sharded = openDiffusionModel(index);
    ASSERT_TRUE(sharded) << sharded.error().message;
    EXPECT_EQ(differences(*sharded->unet.weights, *whole->unet.weights), "");
    EXPECT_EQ(differences(*sharded->vae.weights, *whole->vae.weights), "");
}

TEST(DiffusionModel, SidecarReplacesConfigurationFields) {
    const ScratchFolder scratch;
    const fs::path path = scratch.path() / "模型.safetensors";
    fs::copy_file(testing::tinyCheckpointFile(), path);
    const fs::path sidecar = scratch.path() / "模型.json";
    writeBytes(sidecar, R"({"text_encoder":{"num_attention_heads":4},"scheduler":{"beta_start":0.1},"notes":"x"})");
    const auto model = openDiffusionModel(path);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->textEncoder.config.at("num_attention_heads"), 4);
    EXPECT_EQ(model->textEncoder.config.at("hidden_size"), 16);
    EXPECT_EQ(model->schedulerConfig.at("beta_start"), 0.1);
    OpenModelOptions options;
    options.configOverrides = {{"text_encoder", {{"num_attention_heads", 2}}}};
    EXPECT_EQ(openDiffusionModel(path, options)->textEncoder.config.at("num_attention_heads"), 2);
    writeBytes(sidecar, R"({"text_encoder":[4]})");
    EXPECT_THAT(openDiffusionModel(path).error().message, HasSubstr("'text_encoder' must be an object"));
    writeBytes(sidecar, R"({)");
    EXPECT_THAT(openDiffusionModel(path).error().message, HasSubstr("not valid JSON"));
}

}  // namespace

}  // namespace reelbrush::weights
