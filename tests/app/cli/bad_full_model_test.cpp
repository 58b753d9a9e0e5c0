/// Full models, and what artists bring with them, that are not what they should be: one sentence, nothing left behind.
#include "tests/app/cli/full_model_bench.h"
#include "tests/engine/weights/tiny_models.h"

#include <sys/stat.h>
#include <unistd.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace reelbrush::cli::testing {
namespace {

namespace fs = std::filesystem;
using reelbrush::testing::sharedFolder;
using reelbrush::testing::tinyControlNet;
using reelbrush::testing::tinyMotionModule;
using reelbrush::testing::tinySd2;

constexpr const char* kMiddle = "model.diffusion_model.middle_block.0.in_layers.2.weight";

class BadFullModel : public FullModelBench {
  protected:
    static std::string sd15Lora() {
        return reelbrush::testing::fixturesFolder() / "sd15-tiny" / "lora" / "kohya.safetensors";
    }
    static bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }
};

TEST_F(BadFullModel, ALoraOfAnotherBase) {
    const std::string model = whole();
    expectNothingPainted(
        {"--model", model, "--lora", write("glow.safetensors", loraFor(2048))},
        {at("glow.safetensors"), "it is made for SDXL, this model is SD 1.5", "choose a LoRA made for SD 1.5"});
    expectNothingPainted({"--model", model, "--lora", write("dusk.safetensors", loraFor(1024))},
                         {"it is made for SD 2.x, this model is SD 1.5"});
    const Writer flux = Writer()
                            .addZeros("transformer.single_transformer_blocks.0.attn.to_q.lora_A.weight", {4, 3072})
                            .addZeros("transformer.single_transformer_blocks.0.attn.to_q.lora_B.weight", {3072, 4});
    expectNothingPainted({"--model", model, "--lora", write("flux.safetensors", flux)},
                         {"it is made for Flux, this model is SD 1.5"});
    if (const auto shared = sharedFolder())
        expectNothingPainted({"--model", *shared / "fixtures" / "sdxl-tiny" / "single_file.safetensors", "--lora",
                              write("ink.safetensors", loraFor(768))},
                             {"it is made for SD 1.5, this model is SDXL"});
}

TEST_F(BadFullModel, AMissingTextEncoderOrVae) {
    const std::string headless = write("headless.safetensors", without("cond_stage_model."));
    expectNothingPainted({"--model", headless},
                         {headless, "it lacks the text encoder (CLIP-L)", "any whole SD 1.5 checkpoint has it"});
    const std::string blind = write("blind.safetensors", without("first_stage_model."));
    expectNothingPainted({"--model", blind}, {blind, "it lacks the VAE"});
    // As the sentences say.
    const std::string model = whole();
    EXPECT_EQ(paint({"--model", headless, "--text-encoder", model}).exitCode, 0);
    EXPECT_EQ(paint({"--model", blind, "--vae", model}).exitCode, 0);
    fs::remove(at("out.png"));
    expectNothingPainted({"--model", headless, "--text-encoder", blind + "x"}, {blind + "x"});
    const std::string unet = write("unet.safetensors", Writer(without("cond_stage_model.")));
    expectNothingPainted({"--model", headless, "--text-encoder", unet}, {unet, "holds no CLIP-L text encoder"});
}

TEST_F(BadFullModel, AControlNetOfAnotherFamily) {
    const std::string net = write("canny.safetensors", tinyControlNet("control_model."));
    const std::string net2 = write("canny2.safetensors", tinyControlNet("control_model.", true));
    const std::string model2 = write("sd2.safetensors", tinySd2().addZeros(reelbrush::testing::kSpreadBias, {32}));
    expectNothingPainted({"--model", whole(), "--control", "canny=" + net2},
                         {net2, "was made for SD 2.x", "is SD 1.5; use one made for SD 1.5"});
    expectNothingPainted({"--model", model2, "--control", "canny=" + net}, {net, "was made for SD 1.5", "is SD 2.x"});
    if (const auto shared = sharedFolder())
        expectNothingPainted(
            {"--model", *shared / "fixtures" / "sdxl-tiny" / "single_file.safetensors", "--control", "canny=" + net},
            {net, "was made for SD 1.5", "use one made for SDXL"});
}

TEST_F(BadFullModel, AMotionModuleWithSd2) {
    const std::string model = write("sd2.safetensors", tinySd2().addZeros(reelbrush::testing::kSpreadBias, {32}));
    const std::string motion = write("motion.safetensors", tinyMotionModule({}));
    expectNothingPainted({"--model", model, "--motion", motion},
                         {motion, "is SD 2.x, for which there are none", "use a model of SD 1.5 or SDXL"});
    expectNothingPainted({"--model", whole(), "--motion", write("xl.safetensors", tinyMotionModule({.levels = 3}))},
                         {"was made for SDXL", "is SD 1.5; use one made for SD 1.5"});
}

TEST_F(BadFullModel, UnknownTensorsAreListedAndTheRestIsPainted) {
    const std::string model =
        write("more.safetensors",
              without("nothing").addZeros("model.diffusion_model.odd.weight", {2}).addZeros("stranger", {2}));
    const Outcome painted = paint({"--model", model});
    EXPECT_EQ(painted.exitCode, 0) << painted.err;
    EXPECT_TRUE(holds(painted.out,
                      "2 tensors of unknown meaning are not read: 'model.diffusion_model.odd.weight', "
                      "'stranger'"))
        << painted.out;
    EXPECT_TRUE(fs::exists(at("out.png")));

    Writer lora;
    const std::string known = "lora_unet_mid_block_attentions_0_transformer_blocks_0_attn1_to_q";
    for (const std::string& module : {known, std::string("lora_unet_nowhere_to_q")})
        lora.addZeros(module + ".lora_down.weight", {2, 64}).addZeros(module + ".lora_up.weight", {64, 2});
    lora.addZeros("stranger", {1});
    const Outcome styled = paint({"--model", whole(), "--lora", write("odd.safetensors", lora)});
    EXPECT_EQ(styled.exitCode, 0) << styled.err;
    EXPECT_TRUE(holds(styled.out,
                      "LoRA odd.safetensors: 1 of 2 modules applied; not in this model: "
                      "'lora_unet_nowhere_to_q'; tensors not understood: 'stranger'"))
        << styled.out;

    const std::string net =
        write("canny.safetensors", tinyControlNet("control_model.").addZeros("control_model.stray", {2}));
    const Outcome controlled = paint({"--model", whole(), "--control", "canny=" + net});
    EXPECT_EQ(controlled.exitCode, 0) << controlled.err;
    EXPECT_TRUE(
        holds(controlled.out, "canny.safetensors': 1 tensor of unknown meaning is not read: 'control_model.stray'"))
        << controlled.out;
}

TEST_F(BadFullModel, ValuesThatAreNoNumbersAreFoundByStylizeAndVerify) {
    const std::string vae = "first_stage_model.decoder.conv_in.weight";
    const std::string text = "cond_stage_model.transformer.text_model.encoder.layers.1.mlp.fc1.weight";
    const std::string model = whole();
    const std::string badUnet = write("unet.safetensors", withNan(kMiddle));
    const std::string badVae = write("vae.safetensors", withNan(vae));
    const std::string badText = write("text.safetensors", withNan(text));
    Writer lora = Writer(loraFor(16));
    const std::string module = "lora_unet_mid_block_attentions_0_transformer_blocks_0_attn1_to_q";
    lora.addZeros(module + ".lora_down.weight", {1, 64});
    lora.addF32(module + ".lora_up.weight", {64, 1}, std::vector<float>(64, std::numeric_limits<float>::infinity()));
    const std::string badLora = write("lora.safetensors", lora);
    std::string control = tinyControlNet("").bytes();
    control.replace(control.size() - 4, 4, "\xff\xff\xff\xff");
    const std::string badNet = writeBytes("net.safetensors", control);
    const std::vector<std::pair<Arguments, std::string>> cases{
        {{"--model", badUnet}, badUnet},
        {{"--model", badVae}, badVae},
        {{"--model", badText}, badText},
        {{"--model", model, "--vae", badVae}, badVae},
        {{"--model", model, "--text-encoder", badText}, badText},
        {{"--model", model, "--lora", badLora}, badLora},
        {{"--model", model, "--control", "canny=" + badNet}, badNet},
    };
    for (const auto& [arguments, file] : cases) expectNothingPainted(arguments, {file, "finite", "get it again"});
    for (const std::string& file : {badUnet, badVae, badText, badLora, badNet}) {
        const Outcome verified = run({"models", "verify", file}, options_);
        EXPECT_EQ(verified.exitCode, 1);
        EXPECT_TRUE(holds(verified.out, file)) << verified.out;
        EXPECT_TRUE(holds(verified.out, "not a finite number")) << verified.out;
    }
    EXPECT_EQ(run({"models", "verify", model}, options_).exitCode, 0);
    // What is not read does no harm.
    EXPECT_EQ(paint({"--model", badVae, "--vae", model}).exitCode, 0);
}

TEST_F(BadFullModel, EmptyAndHalfDownloadedFiles) {
    const std::string model = whole(), bytes = without("nothing").bytes();
    const std::vector<std::pair<std::string, std::string>> files{
        {writeBytes("empty.safetensors", ""), "it is empty; download it again"},
        {writeBytes("few.safetensors", bytes.substr(0, 1000)), "download it again"},
        {writeBytes("half.safetensors", bytes.substr(0, bytes.size() / 2)), "cut short: download it again"},
        {writeBytes("last.safetensors", bytes.substr(0, bytes.size() - 1)), "cut short: download it again"},
        {writeBytes("page.safetensors", "<!DOCTYPE html><html>log in</html>"), "log in and download it again"},
    };
    for (const auto& [file, text] : files) {
        expectNothingPainted({"--model", file}, {file, text});
        expectNothingPainted({"--model", model, "--lora", file}, {file, text});
        expectNothingPainted({"--model", model, "--vae", file}, {file, text});
        expectNothingPainted({"--model", model, "--text-encoder", file}, {file, text});
        expectNothingPainted({"--model", model, "--control", "canny=" + file}, {file, text});
        expectNothingPainted({"--model", model, "--motion", file}, {file, text});
        expectNothingPainted(
            {"--model", model, "--ip-adapter", file, "--image-encoder", file, "--style", at("picture.png")},
            {file, text});
    }
}

TEST_F(BadFullModel, FilesInTheLibraryThatCannotBeUsed) {
    const std::string bytes = loraFor(16).bytes();
    writeBytes("models/half.safetensors", bytes.substr(0, bytes.size() / 2));
    writeBytes("models/coming.safetensors.part", bytes);
    writeBytes("models/slow.safetensors", bytes);
    writeBytes("models/slow.safetensors.aria2", "account");
    writeBytes("models/old.ckpt", std::string("PK\x03\x04", 4));
    const std::string model = whole();
    expectNothingPainted({"--model", model, "--lora", "half"}, {at("models/half.safetensors"), "download it again"});
    expectNothingPainted({"--model", model, "--lora", "slow"}, {at("models/slow.safetensors"), "not finished"});
    expectNothingPainted({"--model", model, "--lora", "coming.safetensors.part"}, {"not finished"});
    expectNothingPainted({"--model", "old"}, {"pickle", "convert it once"});
}

TEST_F(BadFullModel, TwoFilesOfOneName) {
    const std::string model = whole();
    const std::string one = write("models/anime/ink.safetensors", loraFor(16));
    const std::string two = write("models/photo/ink.safetensors", loraFor(16));
    expectNothingPainted({"--model", model, "--lora", "ink"},
                         {"'ink' names 2 files", one, two, "give more of the path"});
    expectNothingPainted({"--model", model, "--prompt", "a cat <lora:ink:0.5>"}, {one, two});
    EXPECT_EQ(paint({"--model", model, "--lora", "anime/ink:0.5"}).exitCode, 0) << "as the sentence says";
}

TEST_F(BadFullModel, OneKindOfFileForAnother) {
    const std::string model = whole(), net = write("canny.safetensors", tinyControlNet(""));
    expectNothingPainted({"--model", sd15Lora()}, {sd15Lora(), "it is a LoRA", "choose a checkpoint"});
    expectNothingPainted({"--model", net}, {net, "it is a ControlNet", "choose a checkpoint"});
    expectNothingPainted({"--model", model, "--lora", model}, {model, "is not a LoRA"});
    expectNothingPainted({"--model", model, "--control", "canny=" + sd15Lora()}, {"it is a LoRA; choose another file"});
    expectNothingPainted({"--model", model, "--motion", net}, {"it is a ControlNet; choose another file"});
    expectNothingPainted({"--model", model, "--vae", net}, {"holds no VAE: it is a ControlNet"});
    expectNothingPainted({"--model", at("nowhere.safetensors")}, {"there is no file or folder"});
    expectNothingPainted({"--model", "https://example.org/a.safetensors"}, {"is an address; download the file"});
}

TEST_F(BadFullModel, AFolderWithoutPermission) {
    options_.asNobody = geteuid() == 0;
    if (options_.asNobody && !canBecomeNobody())
        GTEST_SKIP() << "root may read everything, and no other user can start the program here";
    const std::string model = whole(), locked = at("models/locked");
    write("models/locked/ink.safetensors", loraFor(16));
    whole("models/locked/photo.safetensors");
    options_.environment["XDG_CACHE_HOME"] = at("config");
    for (const char* name : {"", "config", "data"}) ASSERT_EQ(chmod(at(name).c_str(), 0777), 0);
    ASSERT_EQ(chmod(locked.c_str(), 0), 0);
    for (const Arguments& arguments :
         {Arguments{"--model", locked + "/photo.safetensors"}, Arguments{"--model", locked + "/photo"},
          Arguments{"--model", model, "--lora", locked + "/ink.safetensors"},
          Arguments{"--model", model, "--vae", locked + "/photo.safetensors"},
          Arguments{"--model", model, "--lora", "ink"}, Arguments{"--model", "photo"}})
        expectNothingPainted(arguments, {locked, "Permission denied"});
    // A file that must not be read, in a folder that may.
    ASSERT_EQ(chmod(locked.c_str(), 0755), 0);
    ASSERT_EQ(chmod((locked + "/ink.safetensors").c_str(), 0), 0);
    expectNothingPainted({"--model", model, "--lora", "ink"}, {locked + "/ink.safetensors", "Permission denied"});
    expectNothingPainted({"--model", model, "--lora", locked + "/ink.safetensors"}, {"Permission denied"});
}

}  // namespace
}  // namespace reelbrush::cli::testing
