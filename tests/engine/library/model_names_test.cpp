#include "engine/library/model_paths.h"
#include "tests/engine/library/library_bench.h"

#include <gmock/gmock.h>

namespace reelbrush::library {
namespace {

namespace fs = std::filesystem;
using namespace reelbrush::testing;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class ModelNames : public LibraryBench {
  protected:
    std::string found(const std::string& name, const std::vector<std::string>& kinds = {"LoRA"}) {
        if (!library_) library_ = opened();
        return foundBy(*library_, name, kinds);
    }
    std::unique_ptr<ModelLibrary> library_;
};

TEST_F(ModelNames, WithAndWithoutEndingFolderAndCapitals) {
    const std::string ink = put("loras/Styles/Ink_v1.2.safetensors", fakeLora()).string();
    put("loras/Styles/other.safetensors", fakeLora());
    for (const char* name : {"Ink_v1.2", "Ink_v1.2.safetensors", "Styles/Ink_v1.2", "Styles/Ink_v1.2.safetensors",
                             "loras/Styles/Ink_v1.2", "ink_v1.2", "styles/INK_V1.2", "INK_V1.2.SAFETENSORS"})
        EXPECT_EQ(found(name), ink) << name;
    for (const char* name : {"nk_v1.2", "Ink_v1", "tyles/Ink_v1.2", "", "/", ".safetensors"})
        EXPECT_THAT(found(name), HasSubstr("there is no LoRA named")) << name;
}

TEST_F(ModelNames, CapitalsDecideWhereNothingElseDoes) {
    const std::string lower = put("a/ink.safetensors", fakeLora()).string();
    const std::string upper = put("b/Ink.safetensors", fakeLora()).string();
    EXPECT_EQ(found("ink"), lower);
    EXPECT_EQ(found("Ink"), upper);
    EXPECT_THAT(found("INK"), AllOf(HasSubstr(lower), HasSubstr(upper)));
}

TEST_F(ModelNames, TwoFilesOfOneNameAreBothNamed) {
    const std::string one = put("anime/ink.safetensors", fakeLora()).string();
    const std::string two = put("photo/ink.safetensors", fakeLoraXl()).string();
    EXPECT_THAT(found("ink"),
                AllOf(HasSubstr("names 2 files"), HasSubstr(one), HasSubstr(two), HasSubstr("more of the path")));
    EXPECT_EQ(found("photo/ink"), two);
    // One that lies at the top can have no more of a path.
    const std::string top = put("ink.safetensors", fakeLora()).string();
    ASSERT_TRUE(library_->refresh());
    EXPECT_EQ(found("ink"), top);
}

TEST_F(ModelNames, LinksToOneFileAreOne) {
    put("a/ink.safetensors", fakeLora());
    fs::create_directories(root() / "b");
    fs::create_symlink(root() / "a" / "ink.safetensors", root() / "b" / "ink.safetensors");
    EXPECT_THAT(found("ink"), EndsWith("a/ink.safetensors"));
}

TEST_F(ModelNames, TheKindDecides) {
    const std::string lora = put("loras/ink.safetensors", fakeLora()).string();
    const std::string checkpoint = put("checkpoints/ink.safetensors", fakeCheckpoint()).string();
    put("checkpoints/ink.ckpt", std::string("PK\x03\x04"));
    EXPECT_EQ(found("ink", {"LoRA"}), lora);
    EXPECT_EQ(found("ink", {"checkpoint", "model folder"}), checkpoint);
    EXPECT_THAT(found("ink", {}), AllOf(HasSubstr(lora), HasSubstr(checkpoint)));
    EXPECT_THAT(found("loras/ink", {"checkpoint", "UNet"}),
                AllOf(HasSubstr("no checkpoint or UNet"), HasSubstr(lora), HasSubstr("of the kind LoRA")));
}

TEST_F(ModelNames, WhatCannotBeUsedSaysWhy) {
    put("old.ckpt", std::string("PK\x03\x04"));
    EXPECT_THAT(found("old", {"checkpoint"}), AllOf(HasSubstr("'old' cannot be used"), HasSubstr("pickle")));
    put("oft.safetensors", SafetensorsWriter().addZeros("lora_unet_mid_block_attn.oft_blocks", {2, 2, 2}));
    ASSERT_TRUE(library_->refresh());
    EXPECT_THAT(found("oft"), AllOf(HasSubstr("'oft' cannot be used"), HasSubstr("OFT")));
}

TEST_F(ModelNames, FoldersListedEarlierWin) {
    const fs::path second = root().parent_path() / "second";
    put("sub/ink.safetensors", fakeLora());
    SafetensorsWriter(fakeLora()).write(second / "ink.safetensors");
    SafetensorsWriter(fakeLora()).write(second / "oil.safetensors");
    SafetensorsWriter(fakeCheckpoint()).write(root() / "oil.safetensors");
    options_.folders.push_back(second);
    EXPECT_EQ(found("ink"), (root() / "sub" / "ink.safetensors").string());
    EXPECT_EQ(found("oil"), (second / "oil.safetensors").string()) << "the one before is no LoRA";
}

TEST_F(ModelNames, NamesThatComeNearAreTold) {
    put("watercolour.safetensors", fakeLora());
    put("photo.safetensors", fakeCheckpoint());
    EXPECT_THAT(found("watercolor"), HasSubstr("did you mean 'watercolour'?"));
    EXPECT_THAT(found("quite another"), AllOf(HasSubstr("there are: watercolour"), Not(HasSubstr("photo"))));
}

TEST_F(ModelNames, FoldersDoNotHideThatANameComesNear) {
    put("models/loras/styles/dreamshaper.safetensors", fakeLora());
    for (const char* name : {"dreamshapr", "DreamShapr", "dreamshapr.safetensors"})
        EXPECT_THAT(found(name), HasSubstr("did you mean 'dreamshaper'?")) << name;
    EXPECT_THAT(found("style/dreamshaper"), HasSubstr("did you mean 'styles/dreamshaper'?"));
    EXPECT_THAT(found("very/much/more/of/it/dreamshaper"), Not(HasSubstr("did you mean")));
    put("models/loras/other/dreamshaper.safetensors", fakeLora());
    ASSERT_TRUE(library_->refresh());
    EXPECT_THAT(found("dreamshapr"),
                HasSubstr("did you mean 'models/loras/other/dreamshaper' or 'models/loras/styles/dreamshaper'?"));
}

TEST(ModelPaths, SayNothingThatIsNotNeeded) {
    const ScratchFolder scratch;
    const std::string folder = scratch.path(), file = folder + "/a/ink.safetensors";
    writeBytes(file, "x");
    for (const char* path : {"/a/ink.safetensors", "/./a/./ink.safetensors", "//a/.//ink.safetensors"})
        EXPECT_EQ(modelAtPath(folder + path)->value(), file) << path;
    EXPECT_EQ(modelAtPath(folder + "/a/../a/ink.safetensors")->value(), folder + "/a/../a/ink.safetensors");
    EXPECT_TRUE(modelAtPath("./")->value().is_absolute());
    EXPECT_FALSE(modelAtPath("ink")->has_value()) << "a name, not a path";
}

TEST_F(ModelNames, WhatWasAddedMeanwhileIsFound) {
    EXPECT_THAT(found("ink"), HasSubstr("there is no LoRA"));
    const fs::path ink = put("ink.safetensors", fakeLora());
    EXPECT_EQ(found("ink"), ink.string());
    fs::rename(ink, root() / "moved.safetensors");
    EXPECT_THAT(found("ink"), HasSubstr("there is no LoRA")) << "it is not there any more";
}

TEST_F(ModelNames, AnIndexOfYesterdayIsNotTrusted) {
    put("a/ink.safetensors", fakeLora());
    (void)refreshed();
    put("b/ink.safetensors", fakeLora());
    EXPECT_THAT(found("ink"), HasSubstr("names 2 files"));
}

}  // namespace
}  // namespace reelbrush::library
