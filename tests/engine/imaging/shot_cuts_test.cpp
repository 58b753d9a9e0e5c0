#include "engine/imaging/shot_cuts.h"

#include "tests/engine/imaging/synthetic_picture.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::imaging {
namespace {

using testing::blobScene;

const cv::Size kSize(160, 90);

/// Numbers of the frames that start a shot, of `count` frames that `frame` makes.
std::vector<int> shotStarts(int count, const std::function<cv::Mat(int)>& frame, const ShotCutOptions& options = {}) {
    ShotCutDetector detector(options);
    std::vector<int> starts;
    for (int i = 0; i < count; ++i) {
        const auto answer = detector.startsShot(frame(i));
        EXPECT_TRUE(answer) << answer.error().message;
        if (answer && *answer) starts.push_back(i);
    }
    return starts;
}

TEST(ShotCuts, FindsEachHardCut) {
    EXPECT_EQ(shotStarts(60,
                         [](int i) {
                             return blobScene(kSize, i / 20, {i % 20, 0});
                         }),
              (std::vector<int>{0, 20, 40}));
}

TEST(ShotCuts, FastMotionIsNoCut) {
    EXPECT_EQ(shotStarts(20, [](int i) { return blobScene(kSize, 3, {8 * i, 4 * i}); }), (std::vector<int>{0}));
}

TEST(ShotCuts, FlashIsNoCut) {
    const auto withFlash = [](int i) {
        const cv::Mat scene = blobScene(kSize, 4, {i, 0});
        if (i == 15 || i == 16) return cv::Mat(0.5 * scene + cv::Scalar::all(0.5));
        if (i == 25) return cv::Mat(kSize, CV_32FC3, cv::Scalar::all(1));
        return scene;
    };
    EXPECT_EQ(shotStarts(40, withFlash), (std::vector<int>{0}));
}

TEST(ShotCuts, CutThroughBlackIsFoundWhereTheNewSceneShows) {
    const auto throughBlack = [](int i) {
        if (i >= 15 && i < 20) return cv::Mat(kSize, CV_32FC3, cv::Scalar::all(0));
        return blobScene(kSize, i < 15 ? 5 : 6, {i, 0});
    };
    EXPECT_EQ(shotStarts(40, throughBlack), (std::vector<int>{0, 20}));
}

TEST(ShotCuts, SlowChangeOfLightIsNoCut) {
    EXPECT_EQ(shotStarts(40, [](int i) { return cv::Mat(blobScene(kSize, 7) * (1.0 - 0.02 * i)); }),
              (std::vector<int>{0}));
}

TEST(ShotCuts, ShotsHaveALeastLength) {
    const auto alternating = [](int i) { return blobScene(kSize, i / 4); };
    ShotCutOptions options;
    options.minimumShotFrames = 8;
    const auto starts = shotStarts(40, alternating, options);
    for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_GE(starts[i] - starts[i - 1], 8);
    options.minimumShotFrames = 1;
    EXPECT_EQ(shotStarts(40, alternating, options).size(), 10U);
}

TEST(ShotCuts, TakesAnySizeAndRefusesOtherPictures) {
    ShotCutDetector detector;
    EXPECT_TRUE(detector.startsShot(cv::Mat(1, 1, CV_32FC3, cv::Scalar::all(0.5))).value());
    EXPECT_FALSE(detector.startsShot(cv::Mat(3, 5, CV_32FC3, cv::Scalar::all(0.5))).value());
    EXPECT_EQ(detector.startsShot(cv::Mat(3, 5, CV_8UC3)).error().code, StatusCode::BadInput);
}

TEST(ShotCuts, FindsTheCutsOfAFilm) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "no shared folder with clips: set REELBRUSH_FIXTURES";
    if (std::system("ffmpeg -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "the program ffmpeg is not installed";
    setenv("REELBRUSH_TEST_CLIP", (*shared / "media/clips/tears-of-steel.webm").c_str(), 1);
    const std::unique_ptr<std::FILE, decltype(&pclose)> film(
        popen("ffmpeg -v error -i \"$REELBRUSH_TEST_CLIP\" -vf scale=160:66 -f rawvideo -pix_fmt rgb24 -", "r"),
        &pclose);
    ASSERT_TRUE(film);
    ShotCutDetector detector;
    std::vector<int> starts;
    cv::Mat bytes(66, 160, CV_8UC3), picture;
    for (int i = 0; std::fread(bytes.data, 1, bytes.total() * 3, film.get()) == bytes.total() * 3; ++i) {
        bytes.convertTo(picture, CV_32F, 1.0 / 255);
        if (detector.startsShot(picture).value()) starts.push_back(i);
    }
    // Found by eye. Between 1430 and 1472 a grenade goes off, 1513 to 1525 is smoke.
    EXPECT_EQ(starts, (std::vector<int>{0,    52,   122,  158,  221,  309,  715,  788,  872,  901,  987,  1127, 1157,
                                        1203, 1234, 1246, 1284, 1345, 1378, 1430, 1472, 1525, 1571, 1618, 1650, 1689}));
}

}  // namespace
}  // namespace reelbrush::imaging
