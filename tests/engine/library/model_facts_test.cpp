/// What the library knows of a model: from its tensors, its metadata, and what lies beside it.
#include "engine/library/model_thumbnail.h"
#include "engine/library/sidecar_facts.h"
#include "tests/engine/library/library_bench.h"

#include <fstream>

namespace reelbrush::library::testing {
namespace {

namespace fs = std::filesystem;
using ModelFacts = LibraryBench;

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST_F(ModelFacts, OfALoraWithMetadata) {
    writeLora("ink.safetensors", {{"modelspec.title", "Ink \n wash\x1b"},
                                  {"modelspec.author", "somebody"},
                                  {"modelspec.license", "CC-BY-4.0"},
                                  {"modelspec.description", "for drawings"},
                                  {"modelspec.trigger_phrase", "ink wash, brush"},
                                  {"ss_base_model_version", "sd_v1"}});
    const ModelRecord record = only();
    EXPECT_EQ(record.problem, "");
    EXPECT_EQ(record.kind, "LoRA");
    EXPECT_EQ(record.baseModel, "SD 1.5");
    EXPECT_EQ(record.rank, 4);
    EXPECT_EQ(record.family.rfind("kohya", 0), 0u) << record.family;
    EXPECT_EQ(record.title, "Ink   wash");
    EXPECT_EQ(record.author, "somebody");
    EXPECT_EQ(record.licence, "CC-BY-4.0");
    EXPECT_EQ(record.description, "for drawings");
    EXPECT_EQ(record.triggerWords, (std::vector<std::string>{"ink wash", "brush"}));
    EXPECT_EQ(record.sizeBytes, fs::file_size(record.path));
    EXPECT_EQ(record.xxh3, "") << "nobody read all of it yet";
}

TEST_F(ModelFacts, OfACheckpointAndATinyVae) {
    const auto fixtures = reelbrush::testing::fixturesFolder();
    fs::create_directories(at("models/checkpoints"));
    fs::copy_file(fixtures / "sd15-tiny/single_file.safetensors", at("models/checkpoints/tiny.safetensors"));
    fs::create_directories(at("models/vae"));
    fs::copy_file(fixtures / "taesd-tiny/diffusion_pytorch_model.safetensors", at("models/vae/taesd.safetensors"));
    const auto records = refreshed()->records();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].kind, "checkpoint");
    EXPECT_EQ(records[0].baseModel, "SD 1.5");
    EXPECT_EQ(records[1].kind, "tiny VAE");
}

TEST_F(ModelFacts, FromWhatOtherProgramsWroteBesideIt) {
    writeLora("a.safetensors", {{"modelspec.trigger_phrase", "own"}});
    writeText(at("models/a.civitai.info"),
              R"({"trainedWords": ["mosaic, tiles", "glass"], "model": {"name": "Mosaic"}, "baseModel": "ignored"})");
    writeLora("b.safetensors");
    writeText(at("models/b.json"), R"({"activation text": "pen, ,hatching", "description": "lines"})");
    writeLora("c.safetensors");
    writeText(at("models/c.json"), "[] damaged");
    writeText(at("models/c.civitai.info"), R"({"trainedWords": 7, "model": []})");
    const auto records = refreshed()->records();
    ASSERT_EQ(records.size(), 3u);
    EXPECT_EQ(records[0].triggerWords, (std::vector<std::string>{"mosaic", "tiles", "glass"}));
    EXPECT_EQ(records[0].title, "Mosaic");
    EXPECT_NE(records[0].baseModel, "ignored") << "the tensors know better";
    EXPECT_EQ(records[1].triggerWords, (std::vector<std::string>{"pen", "hatching"}));
    EXPECT_EQ(records[1].description, "lines");
    EXPECT_EQ(records[2].problem, "");
    EXPECT_TRUE(records[2].triggerWords.empty());
}

TEST_F(ModelFacts, PictureBesideItWinsOverTheOneInside) {
    const std::string inside = "data:image/png;base64,UE5HIQ==";
    writeLora("a.safetensors", {{"modelspec.thumbnail", inside}});
    const ModelRecord before = only();
    EXPECT_EQ(before.thumbnail.extension(), ".png");
    EXPECT_EQ(contentOf(before.thumbnail), "PNG!");

    writeText(at("models/a.jpeg"), "picture");
    LibraryOptions again = options();
    again.examineAll = true;
    EXPECT_EQ(refreshed(again)->records()[0].thumbnail, at("models/a.jpeg"));
    writeText(at("models/a.preview.png"), "picture");
    EXPECT_EQ(refreshed(again)->records()[0].thumbnail, at("models/a.preview.png"));
}

TEST_F(ModelFacts, DamagedPicturesInsideAreNone) {
    for (const char* text : {"data:image/png;base64,", "data:image/png;base64,U", "data:image/png;base64,U*==",
                             "data:image/gif;base64,UE5H", "https://example.org/a.png", "data:image/png;base64"}) {
        writeLora("a.safetensors", {{"modelspec.thumbnail", text}});
        LibraryOptions again = options();
        again.examineAll = true;
        EXPECT_EQ(refreshed(again)->records()[0].thumbnail, fs::path()) << text;
    }
}

TEST(Base64, AsRfc4648Gives) {
    const auto textOf = [](std::string_view base64) {
        const auto bytes = decodeBase64(base64);
        return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string("none");
    };
    EXPECT_EQ(textOf(""), "");
    EXPECT_EQ(textOf("Zg=="), "f");
    EXPECT_EQ(textOf("Zm8="), "fo");
    EXPECT_EQ(textOf("Zm9v"), "foo");
    EXPECT_EQ(textOf("Zm9vYg"), "foob");
    EXPECT_EQ(textOf("Zm9vYmFy"), "foobar");
    EXPECT_EQ(textOf("Z"), "none");
    EXPECT_EQ(textOf("Zm 9v"), "none");
}

TEST(ShownText, IsCleanAndCutAtACharactersBorder) {
    EXPECT_EQ(shownText("  a\tb\x7f ", 100), "a b");
    EXPECT_EQ(shownText("\x1b[31m", 100), "[31m");
    EXPECT_EQ(shownText("aü", 2), "a");
    EXPECT_EQ(shownText("\xff\xfe", 100), "");
    EXPECT_EQ(shownText("abc", 0), "");
}

}  // namespace
}  // namespace reelbrush::library::testing
