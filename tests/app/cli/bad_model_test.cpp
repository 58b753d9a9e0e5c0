#include "tests/app/cli/safetensors_writer.h"
#include "tests/app/cli/workbench.h"

#include <fstream>

namespace reelbrush::cli::testing {
namespace {

namespace fs = std::filesystem;

class BadModel : public Workbench {
  protected:
    void SetUp() override { picture_ = makePicture(); }

    /// A resources folder like the real one, but without one file of the model; returns its path.
    fs::path resourcesWithout(const std::string& left) {
        const fs::path copy = folder() / "resources", real = fs::path(REELBRUSH_SOURCE_DIR) / "resources";
        fs::remove_all(copy);
        fs::create_directories(copy / "models");
        fs::create_symlink(real / "styles", copy / "styles");
        for (const auto& entry : fs::recursive_directory_iterator(real / "models")) {
            const fs::path name = fs::relative(entry.path(), real);
            if (entry.is_directory())
                fs::create_directories(copy / name);
            else if (name != fs::path("models/starter") / left)
                fs::create_symlink(entry.path(), copy / name);
        }
        return copy;
    }
    void expectModelRefused(const fs::path& resources, const std::string& text) {
        RunOptions options;
        options.environment["REELBRUSH_RESOURCES"] = resources;
        expectRefused(run(stylizing(picture_, at("out.png")), options), 1, text);
        EXPECT_EQ(namesIn(folder()), (std::vector<std::string>{"picture.png", "resources"}));
    }

    static constexpr const char* kUnet = "unet/diffusion_pytorch_model.safetensors";
    std::string picture_;
};

TEST_F(BadModel, AMissingPart) {
    expectModelRefused(resourcesWithout(kUnet), "unet");
    expectModelRefused(resourcesWithout("image_proj.safetensors"), "image_proj.safetensors");
    RunOptions options;
    options.environment["REELBRUSH_RESOURCES"] = at("resources/nowhere");
    expectRefused(run(stylizing(picture_, at("out.png")), options), 1, "scream");
}

TEST_F(BadModel, CorruptWeights) {
    const std::string tensor = R"("conv_in.weight":{"dtype":"F32","shape":[2],"data_offsets":)";
    struct Corruption {
        const char* what;
        std::string header;
        std::size_t dataBytes;
        std::int64_t headerBytes;
    };
    const std::vector<Corruption> corruptions{
        {"a cut header", R"({"conv_in.weight":{"dtype":"F3)", 0, 4096},
        {"a header of 2^62 bytes", "{}", 8, std::int64_t{1} << 62},
        {"overlapping tensors", "{" + tensor + R"([0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12,
         -1},
        {"a size of 2^63", R"({"a":{"dtype":"F32","shape":[9223372036854775807,2],"data_offsets":[0,8]}})", 8, -1},
        {"an offset of 2^63", "{" + tensor + "[0,9223372036854775808]}}", 8, -1},
        {"bad UTF-8", "{\"a\xff\xfe\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, -1},
        {"data that is missing", "{" + tensor + "[0,8]}}", 3, -1},
        {"no tensors of the model", "{" + tensor + "[0,8]}}", 8, -1},
    };
    for (const Corruption& corruption : corruptions) {
        SCOPED_TRACE(corruption.what);
        const fs::path resources = resourcesWithout(kUnet);
        writeSafetensors(resources / "models" / "starter" / kUnet, corruption.header, corruption.dataBytes,
                         corruption.headerBytes);
        expectModelRefused(resources, "diffusion_pytorch_model.safetensors");
    }
}

TEST_F(BadModel, APickleInsteadOfAModel) {
    const fs::path resources = resourcesWithout(kUnet);
    std::ofstream(resources / "models" / "starter" / kUnet, std::ios::binary) << "\x80\x02}q\x01(X\x05";
    expectModelRefused(resources, "diffusion_pytorch_model.safetensors");
}

TEST_F(BadModel, ALoraForAnotherModel) {
    const std::string pair =
        R"("unet.mid_block.attn.to_q.lora_A.weight":{"dtype":"F32","shape":[4,320],"data_offsets":[0,5120]},)"
        R"("unet.mid_block.attn.to_q.lora_B.weight":{"dtype":"F32","shape":[320,4],"data_offsets":[5120,10240]})";
    writeSafetensors(at("other.safetensors"), "{" + pair + "}", 10240);
    expectRefused(run(stylizing(picture_, at("out.png"), {"--lora", at("other.safetensors")})), 1, "other.safetensors");
    EXPECT_EQ(namesIn(folder()), (std::vector<std::string>{"other.safetensors", "picture.png"}));
}

TEST_F(BadModel, AFileThatIsNoLora) {
    expectRefused(run(stylizing(picture_, at("out.png"), {"--lora", picture_})), 1, "picture.png");
    expectRefused(run(stylizing(picture_, at("out.png"), {"--lora", at("none.safetensors:0.5")})), 1,
                  "none.safetensors");
    expectRefused(run(stylizing(picture_, at("out.png"), {"--lora", bundled(std::string("models/starter/") + kUnet)})),
                  1, "diffusion_pytorch_model.safetensors");
    EXPECT_EQ(namesIn(folder()), (std::vector<std::string>{"picture.png"}));
}

}  // namespace
}  // namespace reelbrush::cli::testing
