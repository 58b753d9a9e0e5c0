#include "tests/app/cli/workbench.h"

#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>

namespace reelbrush::cli::testing {
namespace {

using Json = nlohmann::json;

class Stylize : public Workbench {};

/// Mean difference of colours between two pictures, 0..1.
double difference(const cv::Mat& a, const cv::Mat& b) {
    return cv::norm(a, b, cv::NORM_L1) / static_cast<double>(a.total() * 3);
}

/// How colourful a picture is: mean distance of the channels from their mean.
double colourfulness(const cv::Mat& picture) {
    std::vector<cv::Mat> channels;
    cv::split(picture, channels);
    return difference(channels[0], channels[1]) + difference(channels[1], channels[2]);
}

TEST_F(Stylize, AVideoKeepsItsFramesItsDurationAndItsSound) {
    const std::string clip = makeClip(), film = at("film.mp4");
    const Outcome outcome = run(stylizing(clip, film));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("8 frames of 64x48"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("peak memory"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("predicted"), std::string::npos) << outcome.out;

    const media::ClipInfo before = inspected(clip), after = inspected(film);
    EXPECT_EQ(after.video.width, 64);
    EXPECT_EQ(after.video.height, 48);
    EXPECT_EQ(after.video.frameCount, 8);
    EXPECT_EQ(after.video.duration, before.video.duration);
    EXPECT_EQ(after.video.averageRate, before.video.averageRate);
    ASSERT_EQ(after.others.size(), 1u);
    EXPECT_EQ(after.others[0].kind, "audio");
    EXPECT_EQ(after.others[0].codec, before.others[0].codec);
    EXPECT_EQ(after.others[0].duration, before.others[0].duration);

    const auto in = framesOf(clip), out = framesOf(film);
    ASSERT_EQ(out.size(), in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        EXPECT_EQ(out[i].time, in[i].time);
        EXPECT_GT(difference(out[i].rgb, in[i].rgb), 0.02) << "frame " << i << " was not painted";
    }
    EXPECT_EQ(namesIn(folder()), (std::vector<std::string>{"clip.mp4", "film.mp4"}));
}

TEST_F(Stylize, APictureInAnyOddSize) {
    const std::string picture = makePicture("in.png", 51, 37), painted = at("out.png");
    const Outcome outcome = run(stylizing(picture, painted));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const auto frames = framesOf(painted);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].rgb.size(), cv::Size(51, 37));
}

TEST_F(Stylize, AnotherSizeTinyOnesIncluded) {
    const std::string picture = makePicture();
    for (const auto& [size, expected] : {std::pair("1x1", cv::Size(1, 1)), std::pair("17x90", cv::Size(17, 90))}) {
        const Outcome outcome = run(stylizing(picture, at("out.png"), {"--size", size}));
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(framesOf(at("out.png")).at(0).rgb.size(), expected);
    }
}

TEST_F(Stylize, AnOddSizedVideo) {
    const std::string clip = makeClip();
    const Outcome outcome = run(stylizing(clip, at("odd.mp4"), {"--size", "63x47"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(inspected(at("odd.mp4")).video.width, 63);
    EXPECT_EQ(inspected(at("odd.mp4")).video.height, 47);
}

TEST_F(Stylize, SequencesInAndOut) {
    const std::string clip = makeClip();
    Outcome outcome = run(stylizing(clip, at("frame.%03d.png"), {"--range", "1-3"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(namesIn(folder()),
              (std::vector<std::string>{"clip.mp4", "frame.001.png", "frame.002.png", "frame.003.png"}));

    outcome = run(stylizing(at("frame.%03d.png"), at("half/"), {"--codec", "exr"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(namesIn(folder() / "half"), (std::vector<std::string>{"000001.exr", "000002.exr", "000003.exr"}));

    outcome = run(stylizing(at("frame.%03d.png"), at("film.mkv"), {"--rate", "12"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(inspected(at("film.mkv")).video.averageRate, Rational(12));
    EXPECT_EQ(framesOf(at("film.mkv")).size(), 3u);
}

TEST_F(Stylize, ARangeCutsTheSoundToo) {
    const std::string clip = makeClip("clip.mp4", {"-t", "2"});
    const Outcome outcome = run(stylizing(clip, at("part.mp4"), {"--range", "10-19"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const media::ClipInfo part = inspected(at("part.mp4"));
    EXPECT_EQ(part.video.frameCount, 10);
    ASSERT_EQ(part.others.size(), 1u);
    EXPECT_NEAR(part.others[0].duration.toDouble(), 0.4, 0.05);
}

TEST_F(Stylize, APictureOutOfAVideoTakesOneFrameAndSaysSo) {
    const std::string clip = makeClip();
    const Outcome outcome = run(stylizing(clip, at("still.png"), {"--range", "5-"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("only frame 5 was painted"), std::string::npos) << outcome.out;
    EXPECT_EQ(framesOf(at("still.png")).size(), 1u);
}

TEST_F(Stylize, StylesDifferAndColoursCanBeKept) {
    const std::string picture = makePicture("in.png", 128, 96);
    const auto painted = [&](const std::string& name, std::vector<std::string> options) {
        const Outcome outcome = run(stylizing(picture, at(name), options));
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        return framesOf(at(name)).at(0).rgb;
    };
    const cv::Mat plain = painted("a.png", {}), again = painted("b.png", {});
    EXPECT_EQ(cv::norm(plain, again, cv::NORM_INF), 0.0) << "the same request paints the same picture";
    EXPECT_GT(difference(plain, painted("c.png", {"--seed", "99"})), 0.001);
    EXPECT_GT(difference(plain, painted("d.png", {"--structure", "0.9"})), 0.005);
    const cv::Mat kept = painted("f.png", {"--keep-colours"});
    EXPECT_GT(colourfulness(kept), 1.2 * colourfulness(painted("g.png", {"--style-colours"})))
        << "the test picture is far more colourful than The Scream";
}

TEST_F(Stylize, AnyPictureIsAStyle) {
    const std::string picture = makePicture(), style = makePicture("my style.png", 300, 200);
    Outcome outcome = run({"stylize", picture, at("out.png"), "--style", style, "--steps", "1", "--progress", "none"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    ffmpeg({"-f", "lavfi", "-i", "color=red@0.5:size=40x40,format=rgba", "-frames:v", "1", at("clear.png")});
    outcome =
        run({"stylize", picture, at("out.png"), "--style", at("clear.png"), "--steps", "1", "--progress", "none"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
}

TEST_F(Stylize, LorasAreAddedAndTheirCoverageTold) {
    const std::string picture = makePicture();
    Outcome outcome = run(stylizing(picture, at("plain.png")));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    outcome =
        run(stylizing(picture, at("lora.png"), {"--lora", lora("ukiyo-e") + ":0.8", "--lora", lora("watercolour")}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("ukiyo-e.safetensors: 78 of 78 modules applied"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("watercolour.safetensors: 78 of 78 modules applied"), std::string::npos) << outcome.out;
    EXPECT_GT(difference(framesOf(at("plain.png")).at(0).rgb, framesOf(at("lora.png")).at(0).rgb), 0.003);
}

TEST_F(Stylize, PathsWithSpacesChineseAndEmoji) {
    std::filesystem::create_directories(folder() / "我的 影片 🎬");
    const std::string clip = makeClip("我的 影片 🎬/原片 a'b\"c 🌊.mp4");
    const std::string style = makePicture("我的 影片 🎬/画风 🖌️.png");
    const std::string weights = at("我的 影片 🎬/浮世绘:0.5.safetensors");
    std::filesystem::copy_file(lora("ukiyo-e"), weights);
    const std::string film = at("我的 影片 🎬/成片 http:x 🎨.mp4");
    const Outcome outcome = run(
        {"stylize", clip, film, "--style", style, "--lora", weights + ":0.7", "--steps", "1", "--progress", "none"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("成片 http:x 🎨.mp4: 8 frames"), std::string::npos) << outcome.out;
    EXPECT_EQ(framesOf(film).size(), 8u);
}

TEST_F(Stylize, ReplacesTheOutputUnlessForbidden) {
    const std::string picture = makePicture(), target = makePicture("out.png", 10, 10);
    const Outcome refused = run(stylizing(picture, target, {"--no-overwrite"}));
    expectRefused(refused, 1, "exists already");
    EXPECT_EQ(inspected(target).video.width, 10);
    EXPECT_EQ(run(stylizing(picture, target)).exitCode, 0);
    EXPECT_EQ(inspected(target).video.width, 64);
}

TEST_F(Stylize, TheReportAsJson) {
    const std::string clip = makeClip();
    const Outcome outcome = run(stylizing(clip, at("film.mp4"), {"--json", "--lora", lora("ukiyo-e")}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const Json report = Json::parse(outcome.out);
    EXPECT_EQ(report["output"], at("film.mp4"));
    EXPECT_EQ(report["frames"], 8);
    EXPECT_EQ(report["shots"], 1);
    EXPECT_EQ(report["width"], 64);
    EXPECT_GT(report["fps"], 0.0);
    EXPECT_EQ(report["loras"].size(), 1u);
    const double predicted = report["predictedPeakBytes"], measured = report["measuredPeakBytes"];
    EXPECT_GT(measured, 0.5 * predicted);
#ifndef __SANITIZE_ADDRESS__  // which takes memory of its own
    EXPECT_LT(measured, 1.1 * predicted) << "the prediction has to cover what is used";
#endif
    EXPECT_NEAR(static_cast<double>(report["memory"]["residentArenaBytes"]) /
                    static_cast<double>(report["memory"]["arenaBytes"]),
                1.0, 0.03)
        << "the planner's arena is what is in use";
}

TEST_F(Stylize, TenBitsStayTenBits) {
    const std::string clip = makeClip("deep.mkv", {"-pix_fmt", "yuv420p10le", "-c:v", "ffv1"});
    const Outcome outcome = run(stylizing(clip, at("deep.mp4"), {"--codec", "h265"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(inspected(at("deep.mp4")).video.bitsPerComponent, 10);
}

TEST_F(Stylize, HdrIsRefusedWithAdviceOrToneMapped) {
    const std::string clip =
        makeClip("hdr.mkv",
                 {"-vf", "format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc",
                  "-c:v", "ffv1", "-pix_fmt", "yuv420p10le"});
    expectRefused(run(stylizing(clip, at("out.mp4"))), 1, "HDR");
    const Outcome outcome = run(stylizing(clip, at("out.mp4"), {"--tone-map"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_FALSE(inspected(at("out.mp4")).video.colour.isHdr());
}

}  // namespace
}  // namespace reelbrush::cli::testing
