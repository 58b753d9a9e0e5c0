#include "engine/library/model_thumbnail.h"

#include "tests/engine/library/library_bench.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace reelbrush::library {
namespace {

namespace fs = std::filesystem;
using namespace reelbrush::testing;

std::string textOf(const std::optional<std::vector<std::byte>>& bytes) {
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "none";
}

TEST(Base64, TestVectorsOfTheStandard) {
    EXPECT_EQ(textOf(decodeBase64("")), "");
    EXPECT_EQ(textOf(decodeBase64("Zg==")), "f");
    EXPECT_EQ(textOf(decodeBase64("Zm8=")), "fo");
    EXPECT_EQ(textOf(decodeBase64("Zm9v")), "foo");
    EXPECT_EQ(textOf(decodeBase64("Zm9vYmFy")), "foobar");
    EXPECT_EQ(textOf(decodeBase64("+/+/")), "\xfb\xff\xbf");
    for (const char* bad : {"A", "AAAAA", "Zm9v!", "Zm 9v", "Z=g="}) EXPECT_FALSE(decodeBase64(bad)) << bad;
}

class Thumbnail : public LibraryBench {};

TEST_F(Thumbnail, BesideTheModel) {
    put("ink.v1.safetensors", fakeLora());
    const fs::path plain = put("ink.v1.png", std::string("plain"));
    EXPECT_EQ(recordOf(*refreshed(), "ink.v1").thumbnail, plain);
    const fs::path preview = put("ink.v1.preview.jpg", std::string("preview"));
    EXPECT_EQ(recordOf(*refreshed(), "ink.v1").thumbnail, preview) << "made for this";
    // Of a folder the dot belongs to its name.
    put("photo-1.5/unet/config.json", std::string("{}"));
    put("photo-1.5/unet/diffusion_pytorch_model.safetensors", fakeCheckpoint());
    const fs::path ofFolder = put("photo-1.5.preview.png", std::string("folder"));
    EXPECT_EQ(recordOf(*refreshed(), "photo-1.5").thumbnail, ofFolder);
}

TEST_F(Thumbnail, InsideTheModel) {
    Writer writer = fakeLora();
    put("ink.safetensors", writer.setMetadata("modelspec.thumbnail", "data:image/jpeg;base64,Zm9vYmFy"));
    const fs::path picture = recordOf(*refreshed(), "ink").thumbnail;
    EXPECT_EQ(picture.extension(), ".jpg");
    EXPECT_EQ(picture.parent_path(), options_.thumbnailFolder);
    std::ifstream stream(picture, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "foobar");
    for (const auto& entry : fs::directory_iterator(options_.thumbnailFolder)) EXPECT_EQ(entry.path(), picture);
}

TEST_F(Thumbnail, OneThatIsNoneIsLeftOut) {
    int number = 0;
    for (const char* value : {"", "data:image/svg+xml;base64,Zm9v", "data:image/png;base64,", "data:image/png;base64,!",
                              "https://example.com/a.png", "data:image/png,plain"}) {
        Writer writer = fakeLora();
        put(fmt::format("ink{}.safetensors", number++), writer.setMetadata("modelspec.thumbnail", value));
    }
    for (const ModelRecord& record : refreshed()->records()) {
        EXPECT_EQ(record.thumbnail, fs::path()) << record.name();
        EXPECT_EQ(record.problem, "");
    }
}

TEST_F(Thumbnail, AFolderThatCannotBeWrittenIsNoFailure) {
    options_.thumbnailFolder = writeBytes(root().parent_path() / "file", "in the way") / "below";
    Writer writer = fakeLora();
    put("ink.safetensors", writer.setMetadata("modelspec.thumbnail", "data:image/png;base64,Zm9v"));
    const auto library = refreshed();
    EXPECT_EQ(recordOf(*library, "ink").thumbnail, fs::path());
    EXPECT_EQ(recordOf(*library, "ink").problem, "");
}

}  // namespace
}  // namespace reelbrush::library
