#include "tests/app/cli/workbench.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace reelbrush::cli::testing {
namespace {

/// Warp error of a restyling over the input's own. Noise drawn anew for every frame gives 30 and more.
class Steadiness : public Workbench {
  protected:
    double ratioOf(const std::string& clip, const std::string& range) {
        const std::string before = at("before.mkv"), after = at("after.mkv");
        const Outcome painted = run({"stylize", clip, after, "--style", "starry-night", "--guidance", "1", "--size",
                                     "512x288", "--range", "0-" + range, "--codec", "ffv1", "--progress", "none"});
        EXPECT_EQ(painted.exitCode, 0) << painted.err;
        ffmpeg({"-i", clip, "-frames:v", std::to_string(std::stoi(range) + 1), "-an", "-c:v", "ffv1", before});
        const Outcome measured = run({"coherence", before, after, "--json"});
        EXPECT_EQ(measured.exitCode, 0) << measured.err;
        const double ratio = nlohmann::json::parse(measured.out)["ratio"].get<double>();
        std::printf("%s: warp error %.2f times the input's\n", clip.c_str(), ratio);
        return ratio;
    }
};

TEST_F(Steadiness, TheBundledClipStaysNearlyAsSteadyAsItIs) {
    EXPECT_LE(ratioOf(bundled("clips/sample.mp4"), "5"), 2.0);
}

TEST_F(Steadiness, StillSceneryStaysStill) {
    const auto shared = reelbrush::testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "no shared folder with clips: set REELBRUSH_FIXTURES";
    EXPECT_LE(ratioOf((*shared / "media/clips/flower.mp4").string(), "23"), 1.0);
}

}  // namespace
}  // namespace reelbrush::cli::testing
