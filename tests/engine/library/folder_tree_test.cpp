#include "tests/engine/library/library_bench.h"

#include <gmock/gmock.h>

#include <fstream>

namespace reelbrush::library {
namespace {

namespace fs = std::filesystem;
using namespace reelbrush::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FolderTree : public LibraryBench {
  protected:
    static constexpr const char* kPickle = "PK\x03\x04 and so on";
    static constexpr const char* kConfig = R"({"_class_name": "Any"})";
};

TEST_F(FolderTree, ComfyUiIsReadAsItIs) {
    put("models/checkpoints/photo.safetensors", fakeCheckpoint());
    put("models/loras/styles/ink.safetensors", fakeLora());
    put("models/loras/SDXL/glow.safetensors", fakeLoraXl());
    put("models/vae/soft.safetensors", fakeVae());
    put("models/controlnet/canny.safetensors", fakeControlNet());
    put("models/ipadapter/ip.safetensors", fakeIpAdapter());
    put("models/animatediff_models/mm.safetensors", fakeMotionModule());
    put("models/embeddings/dusk.safetensors", fakeEmbedding());
    put("models/clip/clip_l.safetensors", fakeTextEncoder());
    put("models/clip_vision/vit.safetensors", fakeImageEncoder());
    put("models/checkpoints/put_checkpoints_here", std::string());
    put("custom_nodes/some/readme.md", std::string("text"));
    EXPECT_THAT(shown(*refreshed()),
                ElementsAre("models/animatediff_models/mm: motion module, SD 1.5",
                            "models/checkpoints/photo: checkpoint, SD 1.5", "models/clip/clip_l: text encoder",
                            "models/clip_vision/vit: image encoder", "models/controlnet/canny: ControlNet, SD 1.5",
                            "models/embeddings/dusk: embedding, SD 1.5", "models/ipadapter/ip: IP-Adapter",
                            "models/loras/SDXL/glow: LoRA, SDXL", "models/loras/styles/ink: LoRA, SD 1.5",
                            "models/vae/soft: VAE"));
}

TEST_F(FolderTree, A1111IsReadAsItIs) {
    put("models/Stable-diffusion/photo.safetensors", fakeCheckpoint());
    put("models/Lora/ink.safetensors", fakeLora());
    put("models/VAE/soft.safetensors", fakeVae());
    put("extensions/sd-webui-controlnet/models/canny.safetensors", fakeControlNet());
    put("embeddings/dusk.safetensors", fakeEmbedding());
    put("models/Stable-diffusion/old.ckpt", std::string(kPickle));
    const auto library = refreshed();
    EXPECT_THAT(shown(*library),
                ElementsAre("embeddings/dusk: embedding, SD 1.5",
                            "extensions/sd-webui-controlnet/models/canny: ControlNet, SD 1.5",
                            "models/Lora/ink: LoRA, SD 1.5", "models/Stable-diffusion/old: pickle",
                            "models/Stable-diffusion/photo: checkpoint, SD 1.5", "models/VAE/soft: VAE"));
    EXPECT_THAT(library->notes(), IsEmpty());
}

TEST_F(FolderTree, FoldersInTheDiffusersLayoutAreOneModel) {
    put("photo/unet/config.json", std::string(kConfig));
    put("photo/unet/diffusion_pytorch_model.safetensors", fakeCheckpoint());
    put("photo/scheduler/scheduler_config.json", std::string(kConfig));
    put("photo/loras/ink.safetensors", fakeLora());
    put("flux/transformer/config.json", std::string(kConfig));
    put("flux/transformer/diffusion_pytorch_model.safetensors", fakeFlux());
    // One part of a model alone is called like its folder.
    put("control-canny/config.json", std::string(kConfig));
    put("control-canny/diffusion_pytorch_model.safetensors", fakeControlNet());
    put("control-canny/diffusion_pytorch_model.fp16.safetensors", fakeControlNet());
    const auto library = refreshed();
    EXPECT_THAT(shown(*library), ElementsAre("control-canny: ControlNet, SD 1.5", "flux: model folder",
                                             "photo/loras/ink: LoRA, SD 1.5", "photo: model folder, SD 1.5"));
    EXPECT_THAT(recordOf(*library, "flux").problem, HasSubstr("unet"));
    EXPECT_EQ(recordOf(*library, "photo").problem, "");
    EXPECT_GT(recordOf(*library, "photo").sizeBytes, 0u);
}

TEST_F(FolderTree, ATreeWithAConfigurationInItsVaeFolderIsNoModel) {
    put("models/vae/config.json", std::string(kConfig));
    put("models/vae/diffusion_pytorch_model.safetensors", fakeVae());
    put("models/vae/other.safetensors", fakeVae());
    put("models/checkpoints/photo.safetensors", fakeCheckpoint());
    EXPECT_THAT(shown(*refreshed()), ElementsAre("models/checkpoints/photo: checkpoint, SD 1.5",
                                                 "models/vae/other: VAE", "models/vae: VAE"));
}

TEST_F(FolderTree, ShardsAreOneModel) {
    put("big-00001-of-00002.safetensors", SafetensorsWriter().addZeros("decoder.up_blocks.0.a.weight", {4}));
    put("big-00002-of-00002.safetensors", SafetensorsWriter().addZeros("decoder.up_blocks.1.a.weight", {4}));
    put("big.safetensors.index.json",
        std::string(R"({"weight_map": {"decoder.up_blocks.0.a.weight": "big-00001-of-00002.safetensors",
                                       "decoder.up_blocks.1.a.weight": "big-00002-of-00002.safetensors"}})"));
    put("torn.safetensors.index.json", std::string(R"({"weight_map": {"a": "torn-00001-of-00001.safetensors"}})"));
    const auto library = refreshed();
    EXPECT_THAT(shown(*library), ElementsAre("big: VAE", "torn: "));
    EXPECT_GT(recordOf(*library, "big").sizeBytes, 150u);
    EXPECT_THAT(recordOf(*library, "torn").problem, HasSubstr("torn-00001-of-00001.safetensors"));
}

TEST_F(FolderTree, WhatCannotBeUsedSaysWhy) {
    const std::string whole = fakeLora().bytes();
    put("empty.safetensors", std::string());
    put("half.safetensors", whole.substr(0, whole.size() / 2));
    put("cut.safetensors", whole.substr(0, whole.size() - 1));
    put("old.CKPT", std::string(kPickle));
    put("net.bin", std::string(kPickle));
    put("firmware.bin", std::string("no pickle at all"));
    put("small.gguf", std::string("GGUF...."));
    put("coming.safetensors.crdownload", whole);
    put("slow.safetensors", whole);
    put("slow.safetensors.aria2", std::string("account"));
    put("pointer.safetensors", std::string("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"));
    put("page.safetensors", std::string("<!DOCTYPE html><html>log in</html>"));
    put("transformer.safetensors", fakeFlux());
    const auto library = refreshed();
    EXPECT_THAT(shown(*library), ElementsAre("coming.safetensors.crdownload: download", "cut: ", "empty: ", "half: ",
                                             "net: pickle", "old: pickle", "page: ", "pointer: ", "slow: download",
                                             "small: GGUF", "transformer: unknown, Flux"));
    for (const ModelRecord& record : library->records())
        EXPECT_THAT(record.problem, HasSubstr(record.path.string())) << record.path;
    EXPECT_THAT(recordOf(*library, "pointer").problem, HasSubstr("git lfs pull"));
    EXPECT_THAT(recordOf(*library, "transformer").problem, HasSubstr("Flux"));
    EXPECT_THAT(recordOf(*library, "slow").problem, HasSubstr("not finished"));
    EXPECT_THAT(recordOf(*library, "old").problem, HasSubstr("convert"));
    EXPECT_THAT(foundBy(*library, "half", {"LoRA"}), HasSubstr("half.safetensors"));
}

TEST_F(FolderTree, LinksAreFollowedOnce) {
    put("loras/ink.safetensors", fakeLora());
    fs::create_directory_symlink("..", root() / "loras" / "up");
    fs::create_directory_symlink(root() / "loras", root() / "again");
    fs::create_symlink(root() / "nowhere.safetensors", root() / "dangling.safetensors");
    fs::create_symlink("ink.safetensors", root() / "loras" / "favourite.safetensors");
    const auto library = refreshed();
    // Of two names of a folder the first in the alphabet counts.
    EXPECT_THAT(shown(*library), ElementsAre("again/favourite: LoRA, SD 1.5", "again/ink: LoRA, SD 1.5"));
    fs::create_symlink(root() / "loras" / "ink.safetensors", root() / "ink2.safetensors");
    EXPECT_THAT(foundBy(*library, "ink2", {}), HasSubstr("ink2.safetensors"));
}

TEST_F(FolderTree, NamesOfAllScripts) {
    put("水墨/牡丹 花.safetensors", fakeLora());
    put("Grün ß.safetensors", fakeLora());
    put("bad\xff.safetensors", fakeLora());
    put(".hidden/ink.safetensors", fakeLora());
    put(".ink.safetensors", fakeLora());
    auto library = refreshed();
    EXPECT_EQ(library->records().size(), 3u);
    EXPECT_THAT(foundBy(*library, "牡丹 花", {"LoRA"}), HasSubstr("水墨"));
    EXPECT_THAT(foundBy(*library, "Grün ß.safetensors", {"LoRA"}), HasSubstr("Grün"));
    // The index gives back what it was given, whatever its bytes.
    library = opened();
    EXPECT_EQ(recordOf(*library, "bad\xff").path, root() / "bad\xff.safetensors");
    EXPECT_EQ(foundBy(*library, "bad\xff", {}), (root() / "bad\xff.safetensors").string());
}

}  // namespace
}  // namespace reelbrush::library
