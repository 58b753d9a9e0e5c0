#include "tests/app/cli/workbench.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace reelbrush::cli::testing {
namespace {

using Json = nlohmann::json;

class Verbs : public Workbench {
  protected:
    static std::string outputOf(const std::vector<std::string>& arguments, const RunOptions& options = {}) {
        const Outcome outcome = run(arguments, options);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return outcome.out;
    }
    static Json jsonOf(const std::vector<std::string>& arguments) { return Json::parse(outputOf(arguments)); }
};

TEST_F(Verbs, EachHasHelp) {
    const std::vector<std::vector<std::string>> verbs{{},
                                                      {"stylize"},
                                                      {"styles"},
                                                      {"styles", "list"},
                                                      {"styles", "show"},
                                                      {"styles", "thumbnails"},
                                                      {"models"},
                                                      {"models", "list"},
                                                      {"models", "inspect"},
                                                      {"models", "verify"},
                                                      {"models", "folders"},
                                                      {"models", "folders", "add"},
                                                      {"inspect"},
                                                      {"doctor"},
                                                      {"coherence"},
                                                      {"contact-sheet"}};
    for (std::vector<std::string> words : verbs) {
        words.emplace_back("--help");
        const std::string help = outputOf(words);
        EXPECT_NE(help.find("--help"), std::string::npos);
    }
    EXPECT_NE(outputOf({"stylize", "--help"}).find("--keep-colours"), std::string::npos);
    EXPECT_NE(outputOf({"--help"}).find("130 interrupted"), std::string::npos);
    EXPECT_EQ(outputOf({"--version"}).rfind("reelbrush-cli ", 0), 0u);
}

TEST_F(Verbs, InspectTellsWhatAClipHolds) {
    const std::string clip = makeClip();
    EXPECT_NE(outputOf({"inspect", clip}).find("64x48"), std::string::npos);
    const Json info = jsonOf({"inspect", clip, "--json"});
    EXPECT_EQ(info["kind"], "video");
    EXPECT_EQ(info["video"]["width"], 64);
    EXPECT_EQ(info["video"]["averageRate"], "25");
    EXPECT_EQ(info["video"]["frames"], 8);
    EXPECT_EQ(info["streams"][0]["kind"], "audio");
    expectRefused(run({"inspect", at("none.mp4")}), 1, "none.mp4");
}

TEST_F(Verbs, InspectTellsRotation) {
    const std::string clip = makeClip();
    ffmpeg({"-i", clip, "-c", "copy", "-metadata:s:v", "rotate=90", at("turned.mp4")});
    const Json info = jsonOf({"inspect", at("turned.mp4"), "--json"});
    EXPECT_NE(info["video"]["rotationDegrees"], 0);
    EXPECT_EQ(info["video"]["width"], 48);
    EXPECT_EQ(info["video"]["codedWidth"], 64);
}

TEST_F(Verbs, StylesAreListedAndShown) {
    const Json list = jsonOf({"styles", "list", "--json"});
    EXPECT_GE(list["styles"].size(), 18u) << "ten LoRAs and at least eight pictures";
    EXPECT_TRUE(list["problems"].empty());
    EXPECT_NE(outputOf({"styles", "list"}).find("starry-night"), std::string::npos);
    const Json card = jsonOf({"styles", "show", "starry-night", "--json"});
    EXPECT_EQ(card["name"], "starry-night");
    EXPECT_EQ(card["pictures"].size(), 1u);
    EXPECT_NE(outputOf({"styles", "show", "starry-night"}).find("guidance"), std::string::npos);
    expectRefused(run({"styles", "show", "starry-nihgt"}), 1, "starry-night");
}

TEST_F(Verbs, ThumbnailsArePainted) {
    const std::string picture = makePicture("in.png", 90, 60);
    const Json report =
        jsonOf({"styles", "thumbnails", "scream", "ukiyo-e", "--of", picture, "--out", at("small"), "--json"});
    EXPECT_EQ(report["thumbnails"].size(), 2u);
    EXPECT_EQ(namesIn(folder() / "small"), (std::vector<std::string>{"scream.jpg", "ukiyo-e.jpg"}));
    EXPECT_EQ(inspected(at("small/scream.jpg")).video.width, 256);
    EXPECT_EQ(inspected(at("small/scream.jpg")).video.height, 144);
    expectRefused(run({"styles", "thumbnails", "nonesuch", "--out", at("small")}), 1, "nonesuch");
}

TEST_F(Verbs, ModelsAreListedAndInspected) {
    const Json list = jsonOf({"models", "list", "--type", "model folder", "--json"});
    ASSERT_EQ(list["models"].size(), 1u);
    EXPECT_EQ(list["models"][0]["name"], "starter");
    EXPECT_EQ(list["models"][0]["bundled"], true);
    EXPECT_NE(outputOf({"models", "list"}).find("starter"), std::string::npos);

    const std::string text = outputOf({"models", "inspect", lora("ukiyo-e")});
    EXPECT_NE(text.find("78 of 78 modules applied"), std::string::npos) << text;
    EXPECT_NE(text.find("PEFT"), std::string::npos) << text;
    const Json inspection = jsonOf({"models", "inspect", lora("ukiyo-e"), "--json", "--hash"});
    EXPECT_EQ(inspection["coverage"]["summary"], "78 of 78 modules applied");
    EXPECT_NE(outputOf({"models", "inspect", bundled("models/starter"), "--tensors"}).find("conv_in"),
              std::string::npos);
    std::ofstream(at("cut.safetensors")) << "abc";
    expectRefused(run({"models", "inspect", at("cut.safetensors")}), 1, "cut.safetensors");
}

TEST_F(Verbs, DoctorLooksAtEverything) {
    const Outcome outcome = run({"doctor", "--json"});
    EXPECT_LE(outcome.exitCode, 1) << outcome.err;
    const Json report = Json::parse(outcome.out);
    EXPECT_EQ(report["healthy"], outcome.exitCode == 0);
    std::set<std::string> areas;
    for (const Json& finding : report["findings"]) areas.insert(finding["area"]);
    for (const char* area :
         {"processor", "int8", "memory", "graphics card", "Vulkan", "codecs", "fonts", "models", "styles", "cache"})
        EXPECT_TRUE(areas.contains(area)) << area;
}

TEST_F(Verbs, DoctorSaysWhatIsMissing) {
    RunOptions options;
    options.environment["REELBRUSH_RESOURCES"] = at("nowhere");
    std::ofstream(at("file")) << "in the way";
    options.environment["XDG_CACHE_HOME"] = at("file");
    const Outcome outcome = run({"doctor"}, options);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_NE(outcome.out.find("REELBRUSH_RESOURCES"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("cannot be written"), std::string::npos) << outcome.out;
}

TEST_F(Verbs, BenchTimesTheStages) {
    const Json report = jsonOf({"bench", "--size", "64x64", "--repeats", "1", "--json"});
    EXPECT_EQ(report["width"], 64);
    EXPECT_GE(report["stages"].size(), 4u);
    EXPECT_NE(outputOf({"bench", "--size", "64x64", "--repeats", "1", "--precision", "float32"}).find("unet"),
              std::string::npos);
    expectRefused(run({"bench", "--size", "0x64"}), 2, "0x64");
    expectRefused(run({"bench", "--precision", "int4"}), 2, "int4");
}

TEST_F(Verbs, CoherenceComparesTwoFilms) {
    const std::string clip = makeClip();
    const Json same = jsonOf({"coherence", clip, clip, "--json"});
    EXPECT_EQ(same["frames"], 8);
    EXPECT_NEAR(same["ratio"], 1.0, 1e-6);
    EXPECT_NE(outputOf({"coherence", clip, clip}).find("warp error"), std::string::npos);
    expectRefused(run({"coherence", clip, at("none.mp4")}), 1, "none.mp4");
}

TEST_F(Verbs, AContactSheetShowsBothFilms) {
    const std::string clip = makeClip();
    outputOf({"contact-sheet", clip, clip, at("sheet.png"), "--columns", "3", "--width", "64"});
    const auto frames = framesOf(at("sheet.png"));
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].rgb.size(), cv::Size(3 * (64 + 8) + 8, 2 * 48 + 3 * 8));
    expectRefused(run({"contact-sheet", clip, clip, at("sheet2.png"), "--columns", "0"}), 1, "columns");
    expectRefused(run({"contact-sheet", clip, at("none.mp4"), at("sheet2.png")}), 1, "none.mp4");
}

}  // namespace
}  // namespace reelbrush::cli::testing
