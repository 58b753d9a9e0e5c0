#include "engine/weights/diffusion_model.h"
#include "engine/weights/model_part_files.h"
#include "engine/weights/model_weights.h"
#include "tests/engine/weights/checkpoint_copy.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <vector>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::CopyOptions;
using testing::copyWeights;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SafetensorsWriter;
using testing::ScratchFolder;
using testing::writeBytes;

class BrokenModel : public ::testing::Test {
  protected:
    std::string messageFor(const fs::path& path) {
        const auto model = openDiffusionModel(path);
        return model ? std::string("opened") : model.error().message;
    }
    std::string messageFor(const SafetensorsWriter& writer) {
        return messageFor(writer.write(scratch_.path() / "m.safetensors"));
    }
    /// The tiny checkpoint without tensors whose name holds the text.
    SafetensorsWriter without(const std::string& text) {
        SafetensorsWriter writer;
        CopyOptions options;
        options.rename = [&](const std::string& name) {
            return name.find(text) != name.npos || name.starts_with("cond_stage_model.") ? std::string() : name;
        };
        copyWeights(*testing::tinyCheckpoint(), options, writer);
        return writer;
    }
    ScratchFolder scratch_;
};

TEST_F(BrokenModel, OtherArchitecturesAreNamed) {
    const auto withTensor = [&](const char* name, const SafetensorsWriter::Dims& shape = {1}) {
        return messageFor(SafetensorsWriter().addZeros(name, shape));
    };
    EXPECT_THAT(withTensor("conditioner.embedders.0.model.transformer.resblocks.9.mlp.c_proj.bias"),
                HasSubstr("is the SDXL refiner; supported are SD 1.5, SD 2.x and SDXL base models"));
    EXPECT_THAT(withTensor("model.diffusion_model.joint_blocks.0.context_block.attn.qkv.weight"),
                HasSubstr("is Stable Diffusion 3"));
    EXPECT_THAT(withTensor("double_blocks.0.img_attn.qkv.weight"), HasSubstr("is Flux"));
    EXPECT_THAT(withTensor("model.diffusion_model.double_blocks.0.img_attn.qkv.weight"), HasSubstr("is Flux"));
    EXPECT_THAT(withTensor("edm_vpred.sigma_max"), HasSubstr("is CosXL"));
    SafetensorsWriter refiner;
    refiner.addZeros("add_embedding.linear_1.weight", {4, 4});
    refiner.addZeros("mid_block.attentions.0.transformer_blocks.0.attn2.to_k.weight", {4, 1280});
    EXPECT_THAT(messageFor(refiner), HasSubstr("is the SDXL refiner"));
    writeBytes(scratch_.path() / "sd3" / "transformer" / "config.json", R"({"_class_name":"SD3Transformer2DModel"})");
    EXPECT_THAT(messageFor(scratch_.path() / "sd3"), HasSubstr("is a transformer model ('SD3Transformer2DModel')"));
}

TEST_F(BrokenModel, FilesThatAreNoModelSayWhatTheyAre) {
    EXPECT_THAT(messageFor(testing::fixturesFolder() / "sd15-tiny" / "lora" / "kohya.safetensors"),
                HasSubstr("it is a LoRA"));
    EXPECT_THAT(messageFor(testing::fixturesFolder() / "ip-adapter-tiny" / "plus.safetensors"),
                HasSubstr("it is an IP-Adapter"));
    EXPECT_THAT(messageFor(SafetensorsWriter().addZeros("x", {1})), HasSubstr("no Stable Diffusion UNet"));
    EXPECT_THAT(messageFor(writeBytes(scratch_.path() / "old.ckpt", "PK\x03\x04...")),
                AllOf(HasSubstr("is a PyTorch pickle"), HasSubstr("safetensors.torch.save_file")));
    EXPECT_THAT(messageFor(scratch_.path() / "none.safetensors"), HasSubstr("No such file"));
}

TEST_F(BrokenModel, EmptyAndHalfDownloadedFilesSaySo) {
    EXPECT_THAT(messageFor(writeBytes(scratch_.path() / "m.safetensors", "")),
                AllOf(HasSubstr("m.safetensors"), HasSubstr("it is empty"), HasSubstr("download it again")));
    const fs::path path = scratch_.path() / "half.safetensors";
    fs::copy_file(testing::tinyCheckpointFile(), path);
    for (const std::uintmax_t keep : {fs::file_size(path) - 1, fs::file_size(path) / 2, std::uintmax_t{1000}}) {
        fs::resize_file(path, keep);
        EXPECT_THAT(messageFor(path), AllOf(HasSubstr("half.safetensors"), HasSubstr("download it again")));
    }
}

TEST_F(BrokenModel, ModelWithoutSomeOfItsWeightsNamesThem) {
    EXPECT_THAT(
        messageFor(without("input_blocks.4.1.norm.bias")),
        AllOf(HasSubstr("its UNet lacks 1 of 684 weights"), HasSubstr("'down_blocks.1.attentions.0.norm.bias'")));
    EXPECT_THAT(messageFor(without("diffusion_model.out.")), HasSubstr("lacks 'conv_out.weight'"));
    EXPECT_THAT(messageFor(without("input_blocks.")), HasSubstr("holds no 'down_blocks.0'"));
    EXPECT_THAT(messageFor(without("output_blocks.5.0.")), HasSubstr("'up_blocks.1' has"));
    EXPECT_THAT(messageFor(without("first_stage_model.encoder.mid.attn_1.q.weight")),
                HasSubstr("its VAE lacks 1 of 240 weights ('encoder.mid_block.attentions.0.to_q.weight')"));
}

TEST_F(BrokenModel, ShapesThatContradictEachOtherAreNamed) {
    const auto replaced = [&](const std::string& name, const SafetensorsWriter::Dims& shape) {
        return messageFor(without(name).addZeros("model.diffusion_model." + name, shape));
    };
    EXPECT_THAT(replaced("time_embed.0.weight", {128, 16}),
                HasSubstr("'time_embedding.linear_1.weight' does not read"));
    EXPECT_THAT(replaced("input_blocks.1.1.transformer_blocks.0.attn2.to_k.weight", {32, 24}),
                HasSubstr("reads tokens of width"));
    EXPECT_THAT(replaced("output_blocks.3.0.out_layers.0.weight", {48}), HasSubstr("'up_blocks.1' has"));
}

TEST_F(BrokenModel, TensorsOfUnknownMeaningAreListed) {
    SafetensorsWriter writer = without("nothing");
    writer.addZeros("model.diffusion_model.extra.weight", {1}).addZeros("first_stage_model.loss.x", {1});
    writer.addZeros("alphas_cumprod", {1}).addZeros("model_ema.decay", {1}).addZeros("stranger", {1});
    const auto model = openDiffusionModel(writer.write(scratch_.path() / "m.safetensors"));
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_THAT(model->unreadTensors, ElementsAre("model.diffusion_model.extra.weight", "stranger"));
    EXPECT_THAT(unreadWarning(model->path, model->unreadTensors),
                AllOf(HasSubstr("2 tensors of unknown meaning are not read"), HasSubstr("'stranger'")));
    EXPECT_EQ(unreadWarning(model->path, {}), "");
    EXPECT_THAT(unreadWarning("m", std::vector<std::string>(9, "x")), HasSubstr("9 tensors"));
}

TEST_F(BrokenModel, AValueThatIsNoNumberIsFoundWhenItsWeightIsRead) {
    const std::string damaged = "first_stage_model.decoder.conv_in.bias";
    SafetensorsWriter writer = without(damaged);
    std::vector<float> values(32, 0.5f);
    values[7] = std::numeric_limits<float>::quiet_NaN();
    const fs::path path = writer.addF16(damaged, {32}, values).write(scratch_.path() / "m.safetensors");
    const auto model = openDiffusionModel(path);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->vae.weights->shapeOf("decoder.conv_in.bias"), kernels::Shape{32});
    const auto sound = model->vae.weights->find("decoder.conv_in.weight");
    ASSERT_TRUE(sound);
    EXPECT_EQ(model->vae.weights->find("decoder.conv_in.weight")->data, sound->data) << "nothing is copied";
    for (int i = 0; i < 2; ++i)
        EXPECT_THAT(model->vae.weights->find("decoder.conv_in.bias").error().message,
                    AllOf(HasSubstr(path.string()), HasSubstr("number 8 of 32")));
    const auto vae = openVae(path, BaseFamily::Sd15);
    ASSERT_TRUE(vae) << vae.error().message;
    EXPECT_FALSE(vae->weights->find("decoder.conv_in.bias"));
}

TEST_F(BrokenModel, AControlNetIsNoModel) {
    const auto net = SafetensorsWriter().addZeros("controlnet_cond_embedding.conv_in.weight", {1});
    EXPECT_THAT(messageFor(net), HasSubstr("it is a ControlNet, not a whole model; choose a checkpoint"));
    const fs::path folder = scratch_.path() / "control";
    net.write(folder / "diffusion_pytorch_model.safetensors");
    writeBytes(folder / "config.json", "{}");
    EXPECT_THAT(messageFor(folder), HasSubstr("holds a ControlNet, not a whole model; choose a model"));
}

TEST_F(BrokenModel, AWholeSdxlModelBringsBothTextEncoders) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "sdxl-tiny is not in the repository";
    OpenModelOptions options;
    options.textEncoder = *shared / "fixtures" / "sdxl-tiny" / "single_file.safetensors";
    const auto stored = ModelWeights::open(options.textEncoder);
    ASSERT_TRUE(stored);
    SafetensorsWriter writer;
    CopyOptions copy;
    copy.rename = [](const std::string& name) { return name.starts_with("conditioner.") ? std::string() : name; };
    copyWeights(**stored, copy, writer);
    const fs::path path = writer.write(scratch_.path() / "m.safetensors");
    auto model = openDiffusionModel(path);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_THAT(requireWholeModel(*model).error().message, AllOf(HasSubstr("CLIP-L"), HasSubstr("bigG")));
    model = openDiffusionModel(path, options);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_TRUE(requireWholeModel(*model));
}

TEST_F(BrokenModel, FolderWithoutPermissionSaysSo) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
    const fs::path folder = scratch_.path() / "model";
    writeBytes(folder / "unet" / "config.json", "{}");
    for (const fs::path& closed : {folder / "unet", folder}) {
        fs::permissions(closed, fs::perms::none);
        EXPECT_THAT(messageFor(folder), HasSubstr("Permission denied"));
        fs::permissions(closed, fs::perms::owner_all);
    }
}

TEST_F(BrokenModel, ConfigurationsOfWrongTypesDoNotThrow) {
    const auto whole = openDiffusionModel(testing::tinyCheckpointFile());
    ASSERT_TRUE(whole);
    OpenModelOptions options;
    for (const auto& value : {nlohmann::json("x"), nlohmann::json(-1), nlohmann::json({1, "x"}), nlohmann::json(1e300),
                              nlohmann::json(nullptr), nlohmann::json::object(), nlohmann::json(4'000'000'000'000)}) {
        for (const auto& [key, unused] : whole->unet.config.items()) {
            options.configOverrides = {{"unet", {{key, value}}}, {"vae", {{key, value}}}};
            const auto model = openDiffusionModel(testing::tinyCheckpointFile(), options);
            (void)model;  // whoever builds the graph checks the values: here they must only do no harm
        }
    }
    SUCCEED();
}

}  // namespace

}  // namespace reelbrush::weights
