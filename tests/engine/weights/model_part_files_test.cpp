#include "engine/weights/model_part_files.h"

#include "engine/weights/json_file.h"
#include "engine/weights/model_fit.h"
#include "engine/weights/model_weights.h"
#include "tests/engine/weights/checkpoint_copy.h"
#include "tests/engine/weights/tiny_models.h"
#include "tests/engine/weights/weights_comparison.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using testing::CopyOptions;
using testing::copyWeights;
using testing::differences;
using testing::exchangePrefix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SafetensorsWriter;
using testing::ScratchFolder;

/// What diffusers called the parts of a VAE's attention before version 0.15.
std::string oldAttentionName(std::string name) {
    const std::pair<const char*, const char*> pairs[] = {
        {"to_q", "query"}, {"to_k", "key"}, {"to_v", "value"}, {"to_out.0", "proj_attn"}};
    for (const auto& [now, before] : pairs)
        if (const auto at = name.find(now); at != name.npos) name.replace(at, std::string(now).size(), before);
    return name;
}

class ModelPartFiles : public ::testing::Test {
  protected:
    fs::path write(const SafetensorsWriter& writer, const char* name = "part.safetensors") {
        return writer.write(scratch_.path() / name);
    }
    fs::path copied(const ListedWeights& source, const std::function<std::string(const std::string&)>& rename) {
        SafetensorsWriter writer;
        CopyOptions options;
        options.rename = rename;
        copyWeights(source, options, writer);
        return write(writer);
    }
    ScratchFolder scratch_;
};

TEST_F(ModelPartFiles, VaeAloneUnderEachOfItsNames) {
    const auto checkpoint = testing::tinyCheckpoint();
    const auto reference = openVae(testing::tinyCheckpointFile());
    ASSERT_TRUE(reference) << reference.error().message;
    EXPECT_EQ(reference->config.at("scaling_factor"), 0.18215);
    for (const char* prefix : {"first_stage_model.", "vae.", ""}) {
        const auto vae = openVae(copied(*checkpoint, exchangePrefix("first_stage_model.", prefix)), BaseFamily::Sdxl);
        ASSERT_TRUE(vae) << vae.error().message;
        EXPECT_EQ(differences(*vae->weights, *reference->weights), "") << prefix;
        EXPECT_EQ(vae->config.at("scaling_factor"), 0.13025);
    }
    for (const auto& rename : {std::function<std::string(const std::string&)>([](const auto& name) { return name; }),
                               std::function<std::string(const std::string&)>(oldAttentionName)}) {
        const auto vae = openVae(copied(*reference->weights, rename));
        ASSERT_TRUE(vae) << vae.error().message;
        EXPECT_EQ(differences(*vae->weights, *reference->weights), "");
    }
    const auto noQuant = openVae(copied(*reference->weights, [](const std::string& name) {
        return name.find("quant_conv") != name.npos ? std::string() : name;
    }));
    ASSERT_TRUE(noQuant) << noQuant.error().message;
    EXPECT_EQ(noQuant->config.at("use_quant_conv"), false);
    EXPECT_EQ(noQuant->config.at("use_post_quant_conv"), false);
}

TEST_F(ModelPartFiles, VaeWithoutAllItsWeightsOrOfAnotherKindIsRefused) {
    const auto checkpoint = testing::tinyCheckpoint();
    const auto without = [&](const char* missing) {
        const auto vae = openVae(copied(*checkpoint, [&](const std::string& name) {
            return name.find(missing) != name.npos ? std::string() : exchangePrefix("first_stage_model.", "")(name);
        }));
        return vae ? std::string("opened") : vae.error().message;
    };
    EXPECT_THAT(without("decoder.up.3.block.1."), HasSubstr("lacks layers"));
    EXPECT_THAT(without("encoder.conv_out."), HasSubstr("contradict each other"));
    EXPECT_THAT(without("decoder.mid.block_2.norm1."),
                AllOf(HasSubstr("part.safetensors"), HasSubstr("its VAE lacks 2 of 240 weights"),
                      HasSubstr("'decoder.mid_block.resnets.1.norm1.bias'")));
    const auto lora = openVae(testing::fixturesFolder() / "sd15-tiny" / "lora" / "kohya.safetensors");
    EXPECT_THAT(lora.error().message, HasSubstr("holds no VAE: it is a LoRA"));
}

TEST_F(ModelPartFiles, TaesdUnderItsAuthorsNames) {
    const fs::path folder = testing::fixturesFolder() / "taesd-tiny";
    const auto reference = openVae(folder);
    ASSERT_TRUE(reference) << reference.error().message;
    const auto original = [](const std::string& name, const std::string& side) {
        const std::string layers = side + ".layers.";
        if (!name.starts_with(layers)) return std::string();
        const auto dot = name.find('.', layers.size());
        const int shift = side == "decoder" ? 1 : 0;
        return fmt::format("{}{}", std::stoi(name.substr(layers.size())) + shift, name.substr(dot));
    };
    const auto halfOf = [&](const std::string& side, const std::string& file) {
        SafetensorsWriter writer;
        CopyOptions options;
        options.rename = [&](const std::string& name) { return original(name, side); };
        copyWeights(*reference->weights, options, writer);
        return write(writer, file.c_str());
    };
    const fs::path decoder = halfOf("decoder", "taesd_decoder.safetensors");
    EXPECT_THAT(openVae(decoder).error().message, HasSubstr("only the decoder of a tiny VAE; put its encoder beside"));
    const fs::path encoder = halfOf("encoder", "taesd_encoder.safetensors");
    const fs::path joined = copied(*reference->weights, [&](const std::string& name) {
        const std::string side = name.substr(0, name.find('.'));
        return side + "." + original(name, side);
    });
    for (const fs::path& path : {decoder, encoder, joined}) {
        const auto vae = openVae(path);
        ASSERT_TRUE(vae) << vae.error().message;
        EXPECT_EQ(differences(*vae->weights, *reference->weights), "") << path;
        EXPECT_EQ(testing::contradictions(vae->config, reference->config), "");
    }
    halfOf("decoder", "taesd_encoder.safetensors");
    EXPECT_THAT(openVae(decoder).error().message, HasSubstr("is not the other half of"));
}

TEST_F(ModelPartFiles, ControlNetUnderLdmNamesHasEveryName) {
    for (const char* prefix : {"", "control_model."}) {
        const auto net =
            openControlNet(write(testing::tinyControlNet(prefix).addZeros(std::string(prefix) + "odd", {1})));
        ASSERT_TRUE(net) << net.error().message;
        EXPECT_EQ(net->family, BaseFamily::Sd15);
        EXPECT_EQ(net->part.config.at("conditioning_embedding_out_channels"), json({16, 32, 96, 256}));
        EXPECT_THAT(net->unreadTensors, ::testing::ElementsAre(std::string(prefix) + "odd"));
        EXPECT_EQ(net->part.weights->find("controlnet_down_blocks.11.weight")->shape, (kernels::Shape{64, 64, 1, 1}));
        EXPECT_EQ(net->part.weights->find("controlnet_cond_embedding.blocks.5.weight")->shape,
                  (kernels::Shape{256, 96, 3, 3}));
        const auto model = openDiffusionModel(testing::tinyCheckpointFile());
        EXPECT_TRUE(checkFits(*net, *model));
    }
}

TEST_F(ModelPartFiles, ControlNetOfDiffusersIsInferredAsItsConfigurationSays) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "no shared folder";
    const fs::path folder = *shared / "fixtures" / "controlnet-tiny";
    auto stated = openControlNet(folder);
    ASSERT_TRUE(stated) << stated.error().message;
    EXPECT_THAT(stated->unreadTensors, IsEmpty());
    fs::copy_file(folder / "diffusion_pytorch_model.safetensors", scratch_.path() / "alone.safetensors");
    const auto inferred = openControlNet(scratch_.path() / "alone.safetensors");
    ASSERT_TRUE(inferred) << inferred.error().message;
    EXPECT_EQ(testing::contradictions(inferred->part.config, stated->part.config), "");
    // A file beside its config.json is read with it.
    const auto beside = openControlNet(folder / "diffusion_pytorch_model.safetensors");
    ASSERT_TRUE(beside);
    EXPECT_EQ(beside->part.config, stated->part.config);
    stated->family = BaseFamily::Sdxl;
    const auto model = openDiffusionModel(testing::tinyCheckpointFile());
    ASSERT_TRUE(model);
    EXPECT_THAT(checkFits(*stated, *model).error().message,
                AllOf(HasSubstr("the ControlNet"), HasSubstr("was made for SDXL"), HasSubstr("is SD 1.5")));
}

TEST_F(ModelPartFiles, RelativesOfControlNetAreNamed) {
    const auto message = [&](const char* tensor) {
        return openControlNet(write(SafetensorsWriter().addZeros(tensor, {1}))).error().message;
    };
    EXPECT_THAT(message("lora_controlnet"), HasSubstr("is a Control-LoRA, which is not supported"));
    EXPECT_THAT(message("lllite_unet_x.down.0.weight"), HasSubstr("ControlLLLite"));
    EXPECT_THAT(message("adapter.body.0.in_conv.weight"), HasSubstr("T2I-Adapter"));
    EXPECT_THAT(message("task_embedding"), HasSubstr("union ControlNet"));
    EXPECT_THAT(message("image_proj.norm.weight"), HasSubstr("holds no ControlNet"));
    EXPECT_THAT(openControlNet(testing::tinyCheckpointFile()).error().message, HasSubstr("it is a checkpoint"));
}

TEST_F(ModelPartFiles, TextEncoderAloneWithAndWithoutItsPrefix) {
    const auto checkpoint = testing::tinyCheckpoint();
    const auto reference = openTextEncoder(testing::tinyCheckpointFile(), TextEncoderRole::ClipL);
    ASSERT_TRUE(reference) << reference.error().message;
    const std::string prefix = "cond_stage_model.transformer.";
    for (const std::string& from : {prefix, prefix + "text_model."}) {
        SafetensorsWriter writer;
        CopyOptions options;
        options.rename = exchangePrefix(from, "");
        copyWeights(*checkpoint, options, writer);
        writer.addZeros("text_model.embeddings.position_ids", {1, 77});
        const fs::path path = write(writer, "clip.safetensors");
        testing::writeBytes(scratch_.path() / "clip.json", R"({"text_encoder":{"num_attention_heads":4}})");
        const auto text = openTextEncoder(path, TextEncoderRole::ClipL);
        ASSERT_TRUE(text) << text.error().message;
        EXPECT_EQ(differences(*text->weights, *reference->weights), "");
        EXPECT_EQ(text->config.at("num_attention_heads"), 4);
        EXPECT_EQ(text->config.at("hidden_act"), "quick_gelu");
    }
}

}  // namespace

}  // namespace reelbrush::weights
