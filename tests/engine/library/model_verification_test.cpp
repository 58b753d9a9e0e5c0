#include "engine/library/model_verification.h"

#include "engine/library/file_digests.h"
#include "engine/weights/model_inspection.h"
#include "tests/engine/library/library_bench.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>

namespace reelbrush::library {
namespace {

namespace fs = std::filesystem;
using namespace reelbrush::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Verification : public LibraryBench {
  protected:
    static ModelVerification verified(const fs::path& model, const VerifyOptions& options = {}) {
        const auto result = verifyModel(model, options);
        EXPECT_TRUE(result) << result.error().message;
        return result ? *result : ModelVerification();
    }
    static FileDigests digestsOf(const fs::path& file) {
        const auto opened = weights::SafetensorsFile::open(file);
        ModelDigester digester(CancelToken(), nullptr);
        return *digester.add(**opened, {true, true});
    }
};

TEST_F(Verification, KnownDigests) {
    // Computed with sha256sum of the very bytes that are written here.
    const fs::path file =
        put("a.safetensors", safetensorsBytes(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", "abc"));
    const FileDigests digests = digestsOf(file);
    EXPECT_EQ(digests.tensorsSha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digests.sha256, "422fc6bab8c609cf91ff21388c0d5954c3078806f75d074b524ac51541e3e4f4");
}

TEST_F(Verification, ASoundModelHasAHash) {
    const fs::path file = put("ink.safetensors", fakeLora());
    const ModelVerification found = verified(file);
    EXPECT_THAT(found.problems, IsEmpty());
    EXPECT_THAT(found.agreed, IsEmpty());
    EXPECT_EQ(found.sha256, "") << "nobody asked for it";
    weights::InspectOptions options;
    options.hash = true;
    EXPECT_EQ(found.xxh3, weights::inspectModel(file, options)->xxh3);
    VerifyOptions known;
    known.knownXxh3 = found.xxh3;
    known.sha256 = true;
    EXPECT_THAT(verified(file, known).problems, IsEmpty());
    EXPECT_EQ(verified(file, known).sha256, digestsOf(file).sha256);
    known.knownXxh3 = std::string(32, '0');
    EXPECT_THAT(verified(file, known).problems, ElementsAre(AllOf(HasSubstr("ink.safetensors"), HasSubstr("changed"))));
}

TEST_F(Verification, ValuesThatAreNoNumbers) {
    const fs::path file =
        put("nan.safetensors", SafetensorsWriter().addF32("decoder.up_blocks.0.bias", {3},
                                                          {1.0f, std::numeric_limits<float>::quiet_NaN(), 2.0f}));
    EXPECT_THAT(verified(file).problems,
                ElementsAre(AllOf(HasSubstr("nan.safetensors"), HasSubstr("decoder.up_blocks.0.bias"),
                                  HasSubstr("number 2 of 3"))));
}

TEST_F(Verification, FilesThatCannotBeRead) {
    EXPECT_THAT(verified(put("empty.safetensors", std::string())).problems,
                ElementsAre(HasSubstr("empty.safetensors")));
    const std::string whole = fakeLora().bytes();
    EXPECT_THAT(verified(put("half.safetensors", whole.substr(0, whole.size() - 9))).problems,
                ElementsAre(HasSubstr("half.safetensors")));
    EXPECT_THAT(verified(root() / "none.safetensors").problems, ElementsAre(HasSubstr("none.safetensors")));
    EXPECT_THAT(verified(root()).problems, ElementsAre(HasSubstr("models")));
}

TEST_F(Verification, HashesThatWerePublished) {
    const fs::path file = put("ink.v1.safetensors", fakeLora());
    const std::string right = digestsOf(file).sha256, wrong(64, 'a');
    for (const char* name : {"ink.v1.safetensors.sha256", "ink.v1.sha256"}) {
        put(name, right + "  ink.v1.safetensors\n");
        EXPECT_THAT(verified(file).problems, IsEmpty());
        EXPECT_THAT(verified(file).agreed, ElementsAre(HasSubstr(name)));
        put(name, wrong);
        EXPECT_THAT(verified(file).problems, ElementsAre(AllOf(HasSubstr(right), HasSubstr(wrong), HasSubstr(name))));
        put(name, std::string("no hash"));
        EXPECT_THAT(verified(file).problems, ElementsAre(HasSubstr("64 hex digits")));
        fs::remove(root() / name);
    }
}

TEST_F(Verification, HashesOfCivitai) {
    const fs::path file = put("ink.safetensors", fakeLora());
    std::string right = digestsOf(file).sha256;
    const std::string wrong(64, 'b');
    const auto info = [](const std::string& name, const std::string& hash) {
        return fmt::format(R"({{"name": "{}", "hashes": {{"SHA256": "{}", "AutoV2": "0123456789"}}}})", name, hash);
    };
    const auto write = [&](const std::string& entries) { put("ink.civitai.info", R"({"files": [)" + entries + "]}"); };
    write(info("ink.safetensors", right));
    EXPECT_THAT(verified(file).agreed, ElementsAre(HasSubstr("ink.civitai.info")));
    for (char& c : right) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    write(info("full.safetensors", wrong) + "," + info("renamed.safetensors", right));
    EXPECT_THAT(verified(file).problems, IsEmpty()) << "one of several files, renamed";
    write(info("ink.safetensors", wrong) + "," + info("other.safetensors", right));
    EXPECT_THAT(verified(file).problems, ElementsAre(AllOf(HasSubstr(wrong), HasSubstr("ink.civitai.info"))));
    write(R"(7, {"hashes": 5}, {"hashes": {"SHA256": "short"}})");
    EXPECT_THAT(verified(file).problems, IsEmpty());
}

TEST_F(Verification, TheHashInTheMetadata) {
    const fs::path bare = put("bare.safetensors", fakeVae());
    const std::string digits = digestsOf(bare).tensorsSha256;
    Writer good = fakeVae(), bad = fakeVae();
    good.setMetadata("modelspec.hash_sha256", "0x" + digits);
    bad.setMetadata("modelspec.hash_sha256", "0x" + std::string(64, '0'));
    EXPECT_THAT(verified(put("good.safetensors", good)).agreed, ElementsAre(HasSubstr("metadata")));
    EXPECT_THAT(verified(put("bad.safetensors", bad)).problems, ElementsAre(HasSubstr("the tensors of")));
}

TEST_F(Verification, FoldersAndShards) {
    put("photo/unet/config.json", std::string("{}"));
    put("photo/vae/config.json", std::string("{}"));
    const fs::path unet = put("photo/unet/diffusion_pytorch_model.safetensors", fakeCheckpoint());
    put("photo/vae/diffusion_pytorch_model.safetensors", fakeVae());
    weights::InspectOptions options;
    options.hash = true;
    EXPECT_EQ(verified(root() / "photo").xxh3, weights::inspectModel(root() / "photo", options)->xxh3);
    EXPECT_EQ(verified(root() / "photo" / "unet").xxh3, verified(unet).xxh3);
    put("photo/unet/diffusion_pytorch_model.sha256", std::string(64, 'c'));
    EXPECT_THAT(verified(root() / "photo").problems, ElementsAre(HasSubstr(unet.string())));
}

TEST_F(Verification, TellsHowFarItIsAndCanBeCancelled) {
    const fs::path file = put("ink.safetensors", fakeLora());
    std::uint64_t last = 0, whole = 0;
    VerifyOptions options;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        EXPECT_GE(done, last);
        EXPECT_LE(done, total);
        last = done;
        whole = total;
    };
    EXPECT_THAT(verified(file, options).problems, IsEmpty());
    EXPECT_EQ(whole, 2 * fs::file_size(file));
    EXPECT_EQ(last, whole);
    options.progress = [&](std::uint64_t, std::uint64_t) { options.cancel.cancel(); };
    const auto cancelled = verifyModel(file, options);
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, StatusCode::Cancelled);
}

}  // namespace
}  // namespace reelbrush::library
