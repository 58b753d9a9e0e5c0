#include "tests/engine/library/library_bench.h"

namespace reelbrush::library::testing {
namespace {

namespace fs = std::filesystem;

class ModelFind : public LibraryBench {
  protected:
    /// The path relative to the test's folder, or the error's message.
    std::string found(const std::string& name, const std::vector<std::string>& kinds = {},
                      const std::vector<std::string>& folders = {"models"}) const {
        const auto record = refreshed(options(folders))->find(name, kinds);
        return record ? record->path.lexically_relative(at("")).generic_string() : record.error().message;
    }
};

TEST_F(ModelFind, ByNamePathAndEnding) {
    writeLora("loras/styles/ink.safetensors");
    for (const char* name :
         {"ink", "ink.safetensors", "styles/ink", "loras/styles/ink.safetensors", "INK", "Styles/Ink"})
        EXPECT_EQ(found(name), "models/loras/styles/ink.safetensors") << name;
    for (const char* name : {"nk", "yles/ink", "in", "", "ink.saf"})
        EXPECT_NE(found(name).find("there is no model named"), std::string::npos) << name;
}

TEST_F(ModelFind, NamesWithDotsAndManyLetters) {
    writeLora("über v1.5.safetensors");
    EXPECT_EQ(found("über v1.5"), "models/über v1.5.safetensors");
}

TEST_F(ModelFind, TwoFilesOfOneNameAreBothListed) {
    writeLora("a/ink.safetensors");
    writeLora("b/ink.safetensors");
    const std::string message = found("ink");
    for (const char* part : {"a/ink.safetensors", "b/ink.safetensors", "more of the path"})
        EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(found("b/ink"), "models/b/ink.safetensors");
    writeLora("ink.safetensors");
    EXPECT_EQ(found("ink"), "models/ink.safetensors") << "the one whose whole name it is";
}

TEST_F(ModelFind, CapitalsDecideWhereNothingElseDoes) {
    writeLora("Ink.safetensors");
    writeLora("ink.safetensors");
    EXPECT_EQ(found("Ink"), "models/Ink.safetensors");
    EXPECT_EQ(found("ink"), "models/ink.safetensors");
    EXPECT_NE(found("INK").find("2 files"), std::string::npos) << found("INK");
}

TEST_F(ModelFind, EarlierFoldersHideLaterOnes) {
    writeLora("one/ink.safetensors");
    writeLora("two/ink.safetensors");
    EXPECT_EQ(found("ink", {}, {"models/two", "models/one"}), "models/two/ink.safetensors");
    EXPECT_EQ(found("ink", {}, {"models/one", "models/two"}), "models/one/ink.safetensors");
}

TEST_F(ModelFind, KindsDecideAndAreNamed) {
    writeLora("loras/ink.safetensors");
    writeEmbedding("embeddings/ink.safetensors");
    EXPECT_EQ(found("ink", {"LoRA"}), "models/loras/ink.safetensors");
    EXPECT_EQ(found("ink", {"embedding"}), "models/embeddings/ink.safetensors");
    writeLora("pen.safetensors");
    const std::string message = found("pen", {"VAE", "ControlNet"});
    for (const char* part : {"'pen'", "VAE or ControlNet", "LoRA"})
        EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST_F(ModelFind, MistypedNamesGetAHint) {
    writeLora("watercolour.safetensors");
    EXPECT_NE(found("watercolor").find("did you mean watercolour"), std::string::npos) << found("watercolor");
    EXPECT_NE(found("x", {"VAE"}).find("folders add"), std::string::npos) << found("x", {"VAE"});
}

TEST_F(ModelFind, WhatCannotBeUsedSaysWhy) {
    writeText(at("models/broken.safetensors"), "");
    EXPECT_NE(found("broken", {"LoRA"}).find("it is empty"), std::string::npos) << found("broken", {"LoRA"});
}

TEST_F(ModelFind, ANewFileIsFoundWithoutAskingForARefresh) {
    writeLora("old.safetensors");
    const auto library = refreshed();
    writeLora("new.safetensors");
    EXPECT_TRUE(library->find("new", {"LoRA"}));
}

}  // namespace
}  // namespace reelbrush::library::testing
