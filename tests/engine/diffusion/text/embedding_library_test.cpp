#include "engine/diffusion/text/embedding_library.h"

#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace reelbrush::diffusion {
namespace {

using reelbrush::testing::SafetensorsWriter;
using reelbrush::testing::ScratchFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string messageOf(const Result<TextEmbedding>& result) {
    return result ? "success" : result.error().message;
}

TEST(TextEmbedding, ReadsEveryLayoutThatTrainersWrite) {
    const ScratchFolder scratch;
    const std::vector<float> two{1, 2, 3, 4};
    for (const char* name : {"emb_params", "string_to_param.*", "string_to_param.cat", "<cat-toy>", "clip_l"}) {
        const auto file = SafetensorsWriter().addF16(name, {2, 2}, two).write(scratch.path() / "a.safetensors");
        const auto embedding = TextEmbedding::open(file);
        ASSERT_TRUE(embedding) << name << ": " << embedding.error().message;
        EXPECT_EQ(embedding->vectors, 2);
        ASSERT_EQ(embedding->parts.size(), 1u);
        EXPECT_EQ(embedding->parts[0].values, two);
    }
    const auto one = SafetensorsWriter().addF32("<cat>", {4}, two).write(scratch.path() / "one.safetensors");
    EXPECT_EQ(TextEmbedding::open(one).value().parts[0].width, 4);
    const auto xl = SafetensorsWriter()
                        .addF32("clip_g", {2, 3}, {1, 2, 3, 4, 5, 6})
                        .addF32("clip_l", {2, 2}, two)
                        .write(scratch.path() / "xl.safetensors");
    const auto both = TextEmbedding::open(xl);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->parts.size(), 2u);
    EXPECT_EQ(both->parts[0].width, 2);
    EXPECT_EQ(both->parts[1].width, 3);
    EXPECT_TRUE(both->fits(std::array{2, 3}));
    EXPECT_FALSE(both->fits(std::array{3, 2}));
}

TEST(TextEmbedding, RefusesWhatIsNone) {
    const ScratchFolder scratch;
    const auto file = scratch.path() / "a.safetensors";
    SafetensorsWriter().addZeros("unet.a", {2, 2}).addZeros("unet.b", {2, 2}).write(file);
    EXPECT_THAT(messageOf(TextEmbedding::open(file)), HasSubstr("no embedding of words"));
    SafetensorsWriter().addZeros("emb_params", {1, 2, 2}).write(file);
    EXPECT_THAT(messageOf(TextEmbedding::open(file)), HasSubstr("[1,2,2]"));
    SafetensorsWriter().addZeros("emb_params", {76, 2}).write(file);
    EXPECT_THAT(messageOf(TextEmbedding::open(file)), HasSubstr("1 to 75 vectors"));
    SafetensorsWriter().addZeros("emb_params", {0, 2}).write(file);
    EXPECT_FALSE(TextEmbedding::open(file));
    SafetensorsWriter().addF32("emb_params", {1, 1}, {std::numeric_limits<float>::quiet_NaN()}).write(file);
    EXPECT_THAT(messageOf(TextEmbedding::open(file)), HasSubstr("not numbers"));
    SafetensorsWriter().addZeros("clip_l", {2, 2}).addZeros("clip_g", {1, 2}).write(file);
    EXPECT_THAT(messageOf(TextEmbedding::open(file)), HasSubstr("damaged"));
    testing::writeBytes(file, "");
    EXPECT_FALSE(TextEmbedding::open(file));
}

TEST(TextEmbedding, NamesTheBaseModelOfAnotherWidth) {
    const ScratchFolder scratch;
    const auto two = SafetensorsWriter().addZeros("emb_params", {1, 1024}).write(scratch.path() / "2.safetensors");
    const Status status = TextEmbedding::open(two).value().fits(std::array{768});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message,
              "its vectors are 1024 wide (made for SD 2.x), this model's text encoders want 768");
    const auto xl = SafetensorsWriter()
                        .addZeros("clip_l", {1, 768})
                        .addZeros("clip_g", {1, 1280})
                        .write(scratch.path() / "xl.safetensors");
    EXPECT_THAT(TextEmbedding::open(xl).value().fits(std::array{768}).error().message,
                HasSubstr("768 and 1280 wide (made for SDXL)"));
    const auto one = SafetensorsWriter().addZeros("emb_params", {1, 768}).write(scratch.path() / "1.safetensors");
    EXPECT_THAT(TextEmbedding::open(one).value().fits(std::array{768, 1280}).error().message,
                HasSubstr("made for SD 1.5"));
}

TEST(EmbeddingLibrary, FindsFilesByNameInAnyCaseAndBelow) {
    const ScratchFolder scratch;
    std::filesystem::create_directories(scratch.path() / "b" / "deep");
    SafetensorsWriter().addZeros("emb_params", {1, 2}).write(scratch.path() / "b" / "deep" / "Bad Hands.safetensors");
    SafetensorsWriter().addZeros("<cat-toy>", {2, 2}).write(scratch.path() / "learned.safetensors");
    testing::writeBytes(scratch.path() / "old.pt", "PK");
    testing::writeBytes(scratch.path() / "notes.txt", "x");
    const auto library = EmbeddingLibrary::scan({scratch.path(), scratch.path() / "missing"});
    EXPECT_THAT(library.words(), ElementsAre("<cat-toy>", "Bad Hands", "learned", "old"));
    EXPECT_EQ(library.open("bad hands").value().vectors, 1);
    EXPECT_EQ(library.open("LEARNED.safetensors").value().vectors, 2);
    EXPECT_EQ(library.open("<cat-toy>").value().vectors, 2);
    EXPECT_THAT(messageOf(library.open("nobody")), HasSubstr("no embedding 'nobody'"));
    EXPECT_THAT(messageOf(library.open("old")), HasSubstr("old.pt"));
}

TEST(EmbeddingLibrary, TheFirstFolderCounts) {
    const ScratchFolder first, second;
    SafetensorsWriter().addZeros("emb_params", {1, 2}).write(first.path() / "a.safetensors");
    SafetensorsWriter().addZeros("emb_params", {2, 2}).write(second.path() / "a.safetensors");
    EXPECT_EQ(EmbeddingLibrary::scan({first.path(), second.path()}).open("a").value().vectors, 1);
    EXPECT_EQ(EmbeddingLibrary::scan({second.path(), first.path()}).open("a").value().vectors, 2);
}

TEST(EmbeddingLibrary, LinksInACircleEnd) {
    const ScratchFolder scratch;
    SafetensorsWriter().addZeros("emb_params", {1, 2}).write(scratch.path() / "a.safetensors");
    std::filesystem::create_directory_symlink(scratch.path(), scratch.path() / "round");
    std::filesystem::create_directory_symlink(scratch.path(), scratch.path() / "again");
    EXPECT_THAT(EmbeddingLibrary::scan({scratch.path()}).words(), ElementsAre("a"));
}

}  // namespace
}  // namespace reelbrush::diffusion
