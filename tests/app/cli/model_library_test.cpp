/// The model library as an artist meets it: folders that are pointed at, listed, looked into and verified.
#include "tests/app/cli/workbench.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace reelbrush::cli::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// With settings, index and models of its own.
class ModelLibraryVerbs : public Workbench {
  protected:
    ModelLibraryVerbs() {
        for (const char* name : {"config", "cache", "data", "comfy/models/loras/styles", "comfy/models/checkpoints"})
            fs::create_directories(at(name));
        options_.environment = {{"XDG_CONFIG_HOME", at("config")},
                                {"XDG_CACHE_HOME", at("cache")},
                                {"XDG_DATA_HOME", at("data")},
                                {"REELBRUSH_MODEL_PATH", ""}};
        fs::copy_file(lora("ukiyo-e"), at("comfy/models/loras/styles/waves.safetensors"));
        fs::copy_file(reelbrush::testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors",
                      at("comfy/models/checkpoints/tiny.safetensors"));
    }

    Outcome runHere(const std::vector<std::string>& arguments) const { return run(arguments, options_); }
    std::string outputOf(const std::vector<std::string>& arguments) const {
        const Outcome outcome = runHere(arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return outcome.out;
    }
    Json jsonOf(const std::vector<std::string>& arguments) const { return Json::parse(outputOf(arguments)); }
    void addFolder() const { EXPECT_EQ(outputOf({"models", "folders", "add", at("comfy")}), ""); }
    /// The list's entries outside of what comes with the program.
    std::vector<Json> ownModels(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"models", "list", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Json list = jsonOf(arguments);
        std::vector<Json> own;
        for (const Json& model : list["models"])
            if (!model["bundled"].get<bool>()) own.push_back(model);
        return own;
    }

    RunOptions options_;
};

TEST_F(ModelLibraryVerbs, FoldersAreAddedListedAndRemoved) {
    addFolder();
    const Json folders = jsonOf({"models", "folders", "list", "--json"})["folders"];
    ASSERT_FALSE(folders.empty());
    EXPECT_EQ(folders[0]["path"], at("comfy"));
    EXPECT_EQ(folders[0]["added"], true);
    EXPECT_NE(outputOf({"models", "folders", "list"}).find(at("comfy") + " (added)"), std::string::npos);
    expectRefused(runHere({"models", "folders", "add", at("comfy")}), 1, "on the list already");
    expectRefused(runHere({"models", "folders", "add", at("nowhere")}), 1, "nowhere");
    EXPECT_EQ(outputOf({"models", "folders", "remove", at("comfy")}), "");
    expectRefused(runHere({"models", "folders", "remove", at("comfy")}), 1, "comfy");
    EXPECT_TRUE(ownModels().empty());
    EXPECT_TRUE(fs::exists(at("comfy/models/checkpoints/tiny.safetensors")));
    expectRefused(runHere({"models", "folders"}), 2, "--help");
}

TEST_F(ModelLibraryVerbs, FoldersOfTheEnvironmentNeedNoSettings) {
    options_.environment["REELBRUSH_MODEL_PATH"] = at("comfy/models/loras") + ":" + at("nowhere");
    const auto models = ownModels();
    ASSERT_EQ(models.size(), 1u);
    EXPECT_EQ(models[0]["name"], "styles/waves");
}

TEST_F(ModelLibraryVerbs, ModelsAreListedByTypeAndBase) {
    addFolder();
    const auto all = ownModels();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0]["kind"], "checkpoint");
    EXPECT_EQ(all[0]["baseModel"], "SD 1.5");
    EXPECT_EQ(all[1]["name"], "models/loras/styles/waves");
    EXPECT_EQ(all[1]["rank"], 4);
    EXPECT_EQ(all[1]["sizeBytes"], fs::file_size(at("comfy/models/loras/styles/waves.safetensors")));
    for (const char* type : {"lora", "LoRA"}) {
        const auto loras = ownModels({"--type", type});
        ASSERT_EQ(loras.size(), 1u);
        EXPECT_EQ(loras[0]["kind"], "LoRA");
    }
    for (const char* base : {"SD 1.5", "sd15", "sd1.5"}) EXPECT_EQ(ownModels({"--base", base}).size(), 1u) << base;
    EXPECT_TRUE(ownModels({"--base", "SDXL"}).empty());
    EXPECT_NE(outputOf({"models", "list"}).find("models/loras/styles/waves"), std::string::npos);
    EXPECT_NE(outputOf({"models", "list", "--base", "SDXL"}).find("models folders list"), std::string::npos);
    expectRefused(runHere({"models", "list", "--type", "hypernetwork"}), 2, "types are");
}

TEST_F(ModelLibraryVerbs, ABrokenFileIsListedWithItsReason) {
    addFolder();
    std::ofstream(at("comfy/models/loras/cut.safetensors")) << "abc";
    const std::string list = outputOf({"models", "list"});
    EXPECT_NE(list.find("models/loras/cut"), std::string::npos) << list;
    EXPECT_NE(list.find("cannot be used"), std::string::npos) << list;
}

TEST_F(ModelLibraryVerbs, RescanSeesWhatSizeAndDateHide) {
    addFolder();
    const fs::path file = at("comfy/models/loras/styles/waves.safetensors");
    ASSERT_EQ(ownModels()[1]["problem"], "");
    const auto date = fs::last_write_time(file);
    const auto size = fs::file_size(file);
    std::ofstream(file, std::ios::binary) << std::string(size, 'x');
    fs::last_write_time(file, date);
    EXPECT_EQ(ownModels()[1]["problem"], "");
    EXPECT_NE(ownModels({"--rescan"})[1]["problem"], "");
}

TEST_F(ModelLibraryVerbs, InspectTakesANameOrAFile) {
    addFolder();
    for (const std::string& name : {std::string("waves"), std::string("styles/waves.safetensors"),
                                    at("comfy/models/loras/styles/waves.safetensors")})
        EXPECT_NE(outputOf({"models", "inspect", name}).find("PEFT"), std::string::npos) << name;
    EXPECT_EQ(jsonOf({"models", "inspect", "tiny", "--json"})["kind"], "checkpoint");
    fs::create_directories(at("comfy/other"));
    fs::copy_file(lora("watercolour"), at("comfy/other/waves.safetensors"));
    expectRefused(runHere({"models", "inspect", "waves"}), 1, at("comfy/other/waves.safetensors"));
    EXPECT_NE(outputOf({"models", "inspect", "other/waves"}).find("other/waves"), std::string::npos);
}

TEST_F(ModelLibraryVerbs, AMisspeltNameGetsASuggestion) {
    addFolder();
    fs::rename(at("comfy/models/checkpoints/tiny.safetensors"), at("comfy/models/checkpoints/dreamshaper.safetensors"));
    const std::string picture = makePicture(), out = at("out.png");
    const auto refuse = [&](const std::vector<std::string>& arguments, const std::string& text) {
        expectRefused(runHere(arguments), 1, text);
    };
    refuse({"models", "inspect", "wavse"}, "did you mean 'waves'?");
    refuse({"models", "verify", "DreamShapr.safetensors"}, "did you mean 'dreamshaper'?");
    refuse({"stylize", picture, out, "--prompt", "x", "--progress", "none", "--model", "dreamshapr"},
           "there is no checkpoint, model folder or UNet named 'dreamshapr' in the model library; did you mean "
           "'dreamshaper'?");
    refuse(stylizing(picture, out, {"--lora", "waevs:0.5"}), "did you mean 'waves'?");
    refuse(stylizing(picture, out, {"--lora", "dreamshapr"}), "there is no LoRA named 'dreamshapr'");
    EXPECT_FALSE(fs::exists(out));
}

TEST_F(ModelLibraryVerbs, VerifyFindsDamageAndRemembersHashes) {
    addFolder();
    const Json sound = jsonOf({"models", "verify", "waves", "tiny", "--json"});
    EXPECT_EQ(sound["damaged"], 0);
    ASSERT_EQ(sound["models"].size(), 2u);
    EXPECT_EQ(sound["models"][0]["sound"], true);
    EXPECT_EQ(sound["models"][0]["sha256"].get<std::string>().size(), 64u);
    EXPECT_EQ(ownModels()[1]["xxh3"], sound["models"][0]["xxh3"]) << "kept in the index";

    // One bit of one weight, behind the back of size and date.
    const fs::path file = at("comfy/models/loras/styles/waves.safetensors");
    const auto date = fs::last_write_time(file);
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(-2, std::ios::end);
    const char byte = static_cast<char>(stream.get());
    stream.seekp(-2, std::ios::end);
    stream.put(static_cast<char>(byte ^ 1));
    stream.close();
    fs::last_write_time(file, date);
    const Outcome outcome = runHere({"models", "verify", "waves"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_NE(outcome.out.find("has changed"), std::string::npos) << outcome.out;
    EXPECT_EQ(runHere({"models", "verify"}).exitCode, 1) << "all of the library";
    EXPECT_EQ(runHere({"models", "verify", "tiny"}).exitCode, 0);
}

TEST_F(ModelLibraryVerbs, VerifyComparesWithWhatWasPublished) {
    addFolder();
    const Json report = jsonOf({"models", "verify", "waves", "--json"});
    const std::string sha256 = report["models"][0]["sha256"];
    const fs::path sidecar = at("comfy/models/loras/styles/waves.safetensors.sha256");
    std::ofstream(sidecar) << sha256 << "  waves.safetensors\n";
    EXPECT_NE(outputOf({"models", "verify", "waves"}).find("sound"), std::string::npos);
    std::ofstream(sidecar) << std::string(64, '0') << "  waves.safetensors\n";
    const Outcome outcome = runHere({"models", "verify", "waves", "--json"});
    EXPECT_EQ(outcome.exitCode, 1);
    const Json damaged = Json::parse(outcome.out);
    EXPECT_EQ(damaged["damaged"], 1);
    EXPECT_NE(damaged["models"][0]["problems"][0].get<std::string>().find(sha256), std::string::npos);
    expectRefused(runHere({"models", "verify", "nonesuch"}), 1, "nonesuch");
}

TEST_F(ModelLibraryVerbs, ADamagedIndexIsBegunAnewAndTold) {
    addFolder();
    ASSERT_EQ(ownModels().size(), 2u);
    std::ofstream(at("cache/reelbrush/models.sqlite"), std::ios::trunc) << "this is no database, but it is long enough";
    const Outcome outcome = runHere({"models", "list", "--json"});
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_NE(outcome.err.find("begun anew"), std::string::npos) << outcome.err;
    EXPECT_GE(Json::parse(outcome.out)["models"].size(), 3u);
}

}  // namespace
}  // namespace reelbrush::cli::testing
