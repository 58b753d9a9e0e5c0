#include "engine/weights/model_inspection.h"

#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SafetensorsWriter;
using testing::ScratchFolder;
using testing::writeBytes;

const fs::path kStarter = REELBRUSH_SOURCE_DIR "/resources/models/starter";

struct Expected {
    const char* file;
    const char* kind;
    const char* base;
    const char* variant;
};

void check(const fs::path& folder, const Expected& expected) {
    SCOPED_TRACE(expected.file);
    const auto inspection = inspectModel(folder / expected.file);
    ASSERT_TRUE(inspection) << inspection.error().message;
    EXPECT_EQ(inspection->kind, expected.kind);
    EXPECT_EQ(inspection->identity.baseModel, expected.base);
    EXPECT_EQ(inspection->identity.variant, expected.variant);
}

TEST(ModelInspection, RecognisesThePartsOfTheStarter) {
    const char* starter = kStarterModelName;
    check(kStarter, {"unet/diffusion_pytorch_model.safetensors", "UNet", starter, ""});
    check(kStarter, {"unet", "UNet", starter, ""});
    check(kStarter, {"vae/diffusion_pytorch_model.safetensors", "tiny VAE", starter, ""});
    check(kStarter, {"image_encoder/model.safetensors", "image encoder", "", ""});
    check(kStarter, {"image_proj.safetensors", "image projection", starter, ""});
    check(kStarter, {"loras/ukiyo-e.safetensors", "LoRA", starter, ""});
    check(kStarter, {".", "model folder", starter, ""});
}

TEST(ModelInspection, RecognisesTheBundledFixtures) {
    const fs::path fixtures = testing::fixturesFolder();
    check(fixtures, {"sd15-tiny/single_file.safetensors", "checkpoint", "SD 1.5", ""});
    check(fixtures, {"taesd-tiny/diffusion_pytorch_model.safetensors", "tiny VAE", "", ""});
    check(fixtures, {"ip-adapter-tiny/base.safetensors", "IP-Adapter", "SD 1.5", ""});
    check(fixtures, {"ip-adapter-tiny/plus.safetensors", "IP-Adapter", "SD 1.5", "Plus"});
    check(fixtures, {"sd15-tiny/lora/kohya.safetensors", "LoRA", "SD 1.5", ""});
    check(fixtures, {"rng/torch_randn.safetensors", "unknown", "", ""});
}

TEST(ModelInspection, RecognisesTheLargerFixtures) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "the larger fixtures are not there: set REELBRUSH_FIXTURES";
    const fs::path fixtures = *shared / "fixtures";
    check(fixtures, {"sdxl-tiny/single_file.safetensors", "checkpoint", "SDXL", ""});
    check(fixtures, {"ip2p-tiny/unet_only.safetensors", "checkpoint", "SD 1.5", "InstructPix2Pix"});
    check(fixtures, {"controlnet-tiny/diffusion_pytorch_model.safetensors", "ControlNet", "", ""});
    check(fixtures, {"motion-tiny/diffusion_pytorch_model.safetensors", "motion module", "SD 1.5", "v3"});
    check(fixtures, {"sd15-tiny/diffusers/vae", "VAE", "", ""});
    check(fixtures, {"sd15-tiny/diffusers/text_encoder", "text encoder", "", ""});
    check(fixtures, {"sd15-tiny/diffusers", "model folder", "", ""});
}

TEST(ModelInspection, RecognisesLayoutsByTheirMarks) {
    const ScratchFolder scratch;
    const auto identify = [&](const SafetensorsWriter& writer) {
        const auto inspection = inspectModel(writer.write(scratch.path() / "m.safetensors"));
        EXPECT_TRUE(inspection) << inspection.error().message;
        const ModelIdentity& id = inspection->identity;
        return inspection->kind + "|" + id.baseModel + "|" + id.variant + "|" + id.prediction;
    };
    const std::string unet = "model.diffusion_model.";
    const std::string conv = unet + "input_blocks.0.0.weight";
    const std::string key = unet + "input_blocks.2.1.transformer_blocks.0.attn2.to_k.weight";
    const std::string clip = ".model.transformer.resblocks.9.mlp.c_proj.bias";
    const std::string skip = unet + "output_blocks.11.0.skip_connection.weight";
    using W = SafetensorsWriter;
    EXPECT_EQ(identify(W().addZeros(conv, {2, 9, 3, 3}).addZeros(skip, {1})), "checkpoint|SD 1.5|inpainting|");
    EXPECT_EQ(identify(W().addZeros(key, {1, 1024}).addZeros(skip, {1})), "checkpoint|SD 2.x||");
    EXPECT_EQ(identify(W().addZeros(conv, {2, 4, 3, 3}).addZeros("conditioner.embedders.0" + clip, {1})),
              "checkpoint|SDXL refiner||");
    EXPECT_EQ(identify(W().addZeros(conv, {2, 4, 3, 3})
                           .addZeros("conditioner.embedders.1" + clip, {1})
                           .addZeros("v_pred", {0})
                           .addZeros("ztsnr", {0})),
              "checkpoint|SDXL||v-prediction, zero terminal SNR");
    EXPECT_EQ(identify(W().addZeros(unet + "label_emb.0.0.weight", {1}).addZeros("edm_vpred.sigma_max", {})),
              "checkpoint|SDXL||CosXL");
    const std::string motion = ".motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks.0.";
    EXPECT_EQ(identify(W().addZeros("down_blocks.3" + motion + "pos_encoder.pe", {1, 32, 8})),
              "motion module|SD 1.5|v3|");
    EXPECT_EQ(identify(W().addZeros("down_blocks.3" + motion + "pos_encoder.pe", {1, 24, 8})),
              "motion module|SD 1.5|v1|");
    EXPECT_EQ(identify(W().addZeros("down_blocks.3" + motion + "pos_encoder.pe", {1, 32, 8})
                           .addZeros("mid_block" + motion + "to_q.weight", {1})),
              "motion module|SD 1.5|v2|");
    EXPECT_EQ(identify(W().addZeros("down_blocks.2" + motion + "to_q.weight", {1})), "motion module|SDXL|AnimateLCM|");
    EXPECT_EQ(identify(W().addZeros("control_model.input_hint_block.0.weight", {1})
                           .addZeros("control_model.label_emb.0.0.weight", {1})),
              "ControlNet|SDXL||");
    EXPECT_EQ(identify(W().addZeros("emb_params", {4, 768})), "embedding|SD 1.5||");
    EXPECT_EQ(identify(W().addZeros("clip_l", {4, 768}).addZeros("clip_g", {4, 1280})), "embedding|SDXL||");
    EXPECT_EQ(identify(W().addZeros("first_stage_model.decoder.conv_in.weight", {1})), "VAE|||");
    EXPECT_EQ(identify(W()), "unknown|||");
}

TEST(ModelInspection, CountsTypesParametersAndBytes) {
    const ScratchFolder scratch;
    SafetensorsWriter writer;
    writer.addI8("a.weight", {2, 3}, {1, 2, 3, 4, 5, 6}).addF16("a.weight_scale", {2}, {1, 1}).addZeros("a.bias", {2});
    writer.setMetadata("format", "pt");
    const auto path = writer.write(scratch.path() / "m.safetensors");
    const auto inspection = inspectModel(path, {.hash = true});
    ASSERT_TRUE(inspection);
    EXPECT_EQ(inspection->parameters, 8);
    EXPECT_EQ(inspection->sizeBytes, fs::file_size(path));
    EXPECT_EQ(inspection->dtypes.at("I8").bytes, 6u);
    EXPECT_EQ(inspection->dtypes.at("F16").tensors, 2u);
    EXPECT_EQ(inspection->tensors.size(), 3u);
    EXPECT_EQ(inspection->metadata.at("format"), "pt");
    EXPECT_EQ(inspection->xxh3.size(), 32u);
    const auto same = inspectModel(path, {.hash = true});
    EXPECT_EQ(same->xxh3, inspection->xxh3);
    EXPECT_EQ(inspectModel(path)->xxh3, "");
    SafetensorsWriter().addZeros("b", {2}).write(path);
    EXPECT_NE(inspectModel(path, {.hash = true})->xxh3, inspection->xxh3);
}

TEST(ModelInspection, SummarisesLorasOfEveryFamily) {
    const auto lora = inspectModel(kStarter / "loras" / "ukiyo-e.safetensors");
    ASSERT_TRUE(lora && lora->lora);
    EXPECT_EQ(lora->lora->family, "PEFT");
    EXPECT_EQ(lora->lora->modules, 78u);
    EXPECT_EQ(lora->lora->minRank, 4);
    EXPECT_EQ(lora->lora->maxRank, 4);
    EXPECT_EQ(lora->lora->maxFactor, 1);
    EXPECT_EQ(lora->lora->whyNotApplied, "");
    const auto kohya = inspectModel(testing::fixturesFolder() / "sd15-tiny" / "lora" / "kohya.safetensors");
    ASSERT_TRUE(kohya && kohya->lora);
    EXPECT_EQ(kohya->lora->modules, 210u);
    EXPECT_EQ(kohya->lora->maxRank, 4);
    EXPECT_EQ(kohya->lora->whyNotApplied, "");
    EXPECT_EQ(kohya->lora->minFactor, 0.5f);
    EXPECT_EQ(kohya->lora->details.rank, 4);
    EXPECT_EQ(kohya->lora->details.alpha, 2);
    const ScratchFolder scratch;
    SafetensorsWriter glora;
    glora.addZeros("lora_unet_mid.a1.weight", {1, 1}).setMetadata("modelspec.trigger_phrase", "ink wash, paper");
    const auto other = inspectModel(glora.write(scratch.path() / "glora.safetensors"));
    ASSERT_TRUE(other && other->lora);
    EXPECT_THAT(other->lora->whyNotApplied, HasSubstr("GLoRA, which is not supported"));
    EXPECT_THAT(other->lora->details.triggerWords, ElementsAre("ink wash", "paper"));
    EXPECT_EQ(nlohmann::json::parse(toJson(*other))["lora"]["triggerWords"][1], "paper");
}

TEST(ModelInspection, WritesJsonOfAnyFile) {
    const ScratchFolder scratch;
    SafetensorsWriter writer;
    writer.addZeros("\x1b[1m \"q\" 中", {1, 2}).setMetadata("modelspec.thumbnail", std::string(100000, 'A'));
    const auto inspection = inspectModel(writer.write(scratch.path() / "bad\xff name.safetensors"));
    ASSERT_TRUE(inspection) << inspection.error().message;
    const std::string text = toJson(*inspection);
    EXPECT_LT(text.size(), 5000u);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    const auto json = nlohmann::json::parse(text);
    EXPECT_EQ(json["tensors"][0]["name"], "\x1b[1m \"q\" 中");
    EXPECT_EQ(json["tensors"][0]["shape"], (std::vector<int>{1, 2}));
    EXPECT_EQ(json["metadata"]["modelspec.thumbnail"], "(100000 bytes)");
    EXPECT_EQ(json["kind"], "unknown");
    const auto starter = nlohmann::json::parse(toJson(*inspectModel(kStarter, {.hash = true})));
    EXPECT_EQ(starter["components"], (std::vector<std::string>{"image_encoder", "scheduler", "unet", "vae"}));
    EXPECT_EQ(starter["baseModel"], kStarterModelName);
    EXPECT_TRUE(
        nlohmann::json::parse(toJson(*inspectModel(kStarter / "loras" / "ukiyo-e.safetensors")))["lora"]["factor"]
            .is_object());
}

TEST(ModelInspection, RefusesPicklesAndWhatIsNoModel) {
    const ScratchFolder scratch;
    const auto pickle = inspectModel(writeBytes(scratch.path() / "old.ckpt", "PK\x03\x04..."));
    ASSERT_FALSE(pickle);
    EXPECT_EQ(pickle.error().code, StatusCode::Unsupported);
    EXPECT_THAT(pickle.error().message, HasSubstr("safetensors.torch.save_file"));
    EXPECT_THAT(inspectModel(scratch.path()).error().message, HasSubstr("is not a model folder"));
    EXPECT_THAT(inspectModel(scratch.path() / "none").error().message, HasSubstr("No such file"));
    EXPECT_THAT(inspectModel(writeBytes(scratch.path() / "empty.safetensors", "")).error().message,
                HasSubstr("it is empty"));
}

}  // namespace

}  // namespace reelbrush::weights
