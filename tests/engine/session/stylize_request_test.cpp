#include "engine/session/stylize_request.h"

#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

namespace reelbrush::session {
namespace {

TEST(StylizeRequest, TheCardHoldsUntilItIsOverridden) {
    StylizeRequest request;
    request.style.structure = 0.3;
    request.style.keepColours = true;
    request.style.steps = 12;
    request.style.guidance = 3;
    request.style.seed = 7;
    EXPECT_EQ(effectiveStyle(request).steps, 12);
    EXPECT_TRUE(effectiveStyle(request).keepColours);
    request.structure = 0.9;
    request.keepColours = false;
    request.steps = 4;
    request.guidance = 1;
    request.seed = 0;
    const styles::StyleCard style = effectiveStyle(request);
    EXPECT_EQ(style.structure, 0.9);
    EXPECT_FALSE(style.keepColours);
    EXPECT_EQ(style.steps, 4);
    EXPECT_EQ(style.guidance, 1);
    EXPECT_EQ(style.seed, 0u);
}

TEST(StylizeRequest, RefusesValuesOutsideTheirRange) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [](auto change) {
        StylizeRequest request;
        change(request);
        const Status status = checkValues(request);
        return !status && status.error().code == StatusCode::BadInput;
    };
    EXPECT_FALSE(refused([](StylizeRequest&) {}));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.structure = -0.1; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.structure = 1.1; }));
    EXPECT_TRUE(refused([&](StylizeRequest& r) { r.structure = nan; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.steps = 0; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.steps = 1001; }));
    EXPECT_TRUE(refused([&](StylizeRequest& r) { r.guidance = nan; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.guidance = -1; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.quality = 101; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.threads = -1; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.size = PictureSize{0, 10}; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.size = PictureSize{10, 16385}; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.firstFrame = -1; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.firstFrame = 5, r.lastFrame = 4; }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.sequenceRate = Rational(0); }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.sequenceRate = Rational::unknown(); }));
    EXPECT_TRUE(refused([](StylizeRequest& r) { r.loras = {{"a", 11.0}}; }));
}

TEST(StylizeRequest, ALoraByAnotherNameIsTheSameFile) {
    const reelbrush::testing::ScratchFolder scratch;
    std::ofstream(scratch.path() / "a.safetensors") << "x";
    std::filesystem::create_symlink(scratch.path() / "a.safetensors", scratch.path() / "link");
    StylizeRequest request;
    request.style.loras = {{scratch.path() / "a.safetensors", 1.0}};
    request.loras = {{scratch.path() / "link", 0.5}};
    ASSERT_EQ(effectiveStyle(request).loras.size(), 1u);
    EXPECT_EQ(effectiveStyle(request).loras[0].strength, 0.5);
}

TEST(StylizeRequest, TheStylesOwnFilesAreNotWrittenOver) {
    const reelbrush::testing::ScratchFolder scratch;
    const auto picture = scratch.path() / "style.png";
    std::ofstream(picture) << "x";
    StylizeRequest request;
    request.output = picture;
    EXPECT_TRUE(checkOutput(request));
    request.overwrite = false;
    EXPECT_FALSE(checkOutput(request));
    request.overwrite = true;
    request.style.pictures = {picture};
    EXPECT_FALSE(checkOutput(request));
}

}  // namespace
}  // namespace reelbrush::session
