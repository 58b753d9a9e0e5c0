/// Which files are taken for models, and that only what changed is looked into again.
#include "tests/engine/library/library_bench.h"

#include <unistd.h>

#include <fstream>

namespace reelbrush::library::testing {
namespace {

namespace fs = std::filesystem;

class ModelRefresh : public LibraryBench {
  protected:
    std::vector<std::string> namesIn(const LibraryOptions& options) const {
        std::vector<std::string> names;
        for (const ModelRecord& record : refreshed(options)->records()) names.push_back(record.name());
        return names;
    }
};

TEST_F(ModelRefresh, TreesOfComfyUiAndA1111AreReadAsTheyAre) {
    writeLora("comfy/models/loras/styles/ink.safetensors");
    writeEmbedding("comfy/models/embeddings/bad-hands.safetensors");
    writeLora("webui/models/Lora/pen.safetensors");
    writeLora("webui/models/LyCORIS/brush.safetensors");
    writeEmbedding("webui/embeddings/easy.safetensors");
    writeLora("webui/extensions/sd-webui-controlnet/models/x.safetensors");
    writeText(at("models/webui/models/Lora/pen.txt"), "notes");
    writeText(at("models/webui/.git/a.safetensors"), "hidden");
    const auto records = refreshed(options({"models/comfy", "models/webui"}))->records();
    ASSERT_EQ(records.size(), 6u);
    EXPECT_EQ(records[0].name(), "models/embeddings/bad-hands");
    EXPECT_EQ(records[0].kind, "embedding");
    EXPECT_EQ(records[1].name(), "models/loras/styles/ink");
    EXPECT_EQ(records[1].kind, "LoRA");
    EXPECT_EQ(records[2].name(), "embeddings/easy");
}

TEST_F(ModelRefresh, ModelFoldersCountAsOneAndShardsAsTheirIndex) {
    const auto shared = reelbrush::testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "needs the folder of shared fixtures";
    fs::create_directories(at("models"));
    fs::copy(*shared / "fixtures/sd15-tiny/diffusers", at("models/tiny-v1.5"), fs::copy_options::recursive);
    writeLora("part-1.safetensors");
    writeText(at("models/whole.safetensors.index.json"),
              R"({"weight_map": {)"
              R"("lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_)"
              R"(attn2_to_k.lora_down.weight": "part-1.safetensors",)"
              R"("lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_)"
              R"(attn2_to_k.lora_up.weight": "part-1.safetensors"}})");
    EXPECT_EQ(namesIn(options()), (std::vector<std::string>{"tiny-v1.5", "whole"}));
}

TEST_F(ModelRefresh, WhatCannotBeUsedSaysWhy) {
    writeText(at("models/empty.safetensors"), "");
    writeText(at("models/old.ckpt"), std::string("PK\x03\x04pickle", 10));
    writeText(at("models/part.safetensors"), "half");
    const auto records = refreshed()->records();
    ASSERT_EQ(records.size(), 3u);
    for (const ModelRecord& record : records) {
        EXPECT_NE(record.problem, "") << record.path;
        EXPECT_EQ(record.kind, "");
    }
}

TEST_F(ModelRefresh, OnlyWhatChangedIsLookedIntoAgain) {
    const fs::path kept = writeLora("kept.safetensors"), replaced = writeLora("replaced.safetensors"),
                   removed = writeLora("removed.safetensors");
    EXPECT_EQ(refreshed()->records().size(), 3u);

    // Unseen, since size and date stay: the test writes other bytes under them.
    const auto date = fs::last_write_time(kept);
    const auto size = fs::file_size(kept);
    std::ofstream(kept, std::ios::binary) << std::string(size, 'x');
    fs::last_write_time(kept, date);
    writeLora("replaced.safetensors", {{"modelspec.title", "new"}});
    fs::remove(removed);
    writeEmbedding("added.safetensors");

    const auto records = refreshed()->records();
    ASSERT_EQ(records.size(), 3u);
    EXPECT_EQ(records[0].kind, "embedding");
    EXPECT_EQ(records[1].problem, "") << "it was looked into though nothing seemed changed";
    EXPECT_EQ(records[2].title, "new");
    LibraryOptions all = options();
    all.examineAll = true;
    EXPECT_NE(refreshed(all)->records()[1].problem, "");
}

TEST_F(ModelRefresh, IndexIsThereBeforeTheRefresh) {
    writeLora("a.safetensors");
    refreshed();
    const auto library = ModelLibrary::open(options());
    ASSERT_TRUE(library);
    EXPECT_EQ((*library)->records().size(), 1u);
}

TEST_F(ModelRefresh, RunsInTheBackgroundAndStopsWithTheLibrary) {
    for (int i = 0; i < 50; ++i) writeLora("many/" + std::to_string(i) + ".safetensors");
    {
        const auto library = ModelLibrary::open(options());
        ASSERT_TRUE(library);
        (*library)->startRefresh();
        (*library)->startRefresh();
    }
    EXPECT_EQ(refreshed()->records().size(), 50u);
}

TEST_F(ModelRefresh, CancelEndsTheWait) {
    writeLora("a.safetensors");
    const auto library = ModelLibrary::open(options());
    ASSERT_TRUE(library);
    const CancelToken cancel;
    cancel.cancel();
    const Status status = (*library)->refresh(cancel);
    // It may have been quicker than the first look at the token.
    if (!status) {
        EXPECT_EQ(status.error().code, StatusCode::Cancelled);
    }
}

TEST_F(ModelRefresh, LinksAreFollowedOnce) {
    writeLora("real/a.safetensors");
    fs::create_directories(at("models/real/sub"));
    fs::create_directory_symlink(at("models/real"), at("models/real/sub/loop"));
    EXPECT_EQ(namesIn(options({"models/real"})), std::vector<std::string>{"a"});
    fs::create_directory_symlink(at("models/real"), at("link"));
    EXPECT_EQ(namesIn(options({"link"})), std::vector<std::string>{"a"});
}

TEST_F(ModelRefresh, MissingAndForbiddenFoldersArePassedOver) {
    writeLora("a.safetensors");
    writeLora("secret/b.safetensors");
    fs::permissions(at("models/secret"), fs::perms::none);
    const auto names = namesIn(options({"nowhere", "models"}));
    fs::permissions(at("models/secret"), fs::perms::owner_all);
    ASSERT_FALSE(names.empty());
    EXPECT_EQ(names[0], "a");
    if (geteuid() != 0) {
        EXPECT_EQ(names.size(), 1u);
    }
}

}  // namespace
}  // namespace reelbrush::library::testing
