#include "engine/diffusion/sampling/guidance.h"

#include <gtest/gtest.h>

#include <vector>

namespace reelbrush::diffusion {
namespace {

using Values = std::vector<float>;

TEST(Guidance, GoesPastThePromptedPrediction) {
    const Values plain{1, -2, 0.5f}, prompted{2, -1, 0.5f};
    Values out(3);
    guide(plain, prompted, 7.5f, out);
    EXPECT_EQ(out, (Values{8.5f, 5.5f, 0.5f}));
    guide(plain, prompted, 1.0f, out);
    EXPECT_EQ(out, prompted);
    Values inPlace = plain;
    guide(inPlace, prompted, 2.0f, inPlace);
    EXPECT_EQ(inPlace, (Values{3, 0, 0.5f}));
}

TEST(Guidance, NoneAndOneNeedASinglePass) {
    EXPECT_FALSE(needsSecondPass(0.0f));
    EXPECT_FALSE(needsSecondPass(1.0f));
    EXPECT_TRUE(needsSecondPass(7.5f));
    EXPECT_TRUE(needsSecondPass(0.5f));
}

TEST(Guidance, FallsOffOverTheSteps) {
    EXPECT_FLOAT_EQ(fallingGuidance(8, 0, 16), 8);
    EXPECT_FLOAT_EQ(fallingGuidance(8, 12, 16), 4);
    EXPECT_FLOAT_EQ(fallingGuidance(8, 15, 16), 2);
    EXPECT_FLOAT_EQ(fallingGuidance(8, 12, 16, 1), 2);
    EXPECT_FLOAT_EQ(fallingGuidance(8, 12, 16, 0), 8);
}

TEST(Guidance, EditsWeighTextAndPictureByThemselves) {
    const Values plain{1, 0}, pictured{2, 1}, both{4, 0};
    Values out(2);
    guideEdit({plain, pictured, both}, 7.5f, 1.5f, out);
    EXPECT_EQ(out, (Values{1 + 1.5f * 1 + 7.5f * 2, 1.5f * 1 - 7.5f * 1}));
    guideEdit({plain, pictured, both}, 1, 1, out);
    EXPECT_EQ(out, both);
}

TEST(Guidance, RescalingBringsBackTheSpreadOfEachPicture) {
    const Values prompted{-1, 1, -3, 3};
    const Values guided{-4, 4, -3, 3};
    Values out = guided;
    rescaleGuidance(prompted, 1.0f, 2, out);
    EXPECT_EQ(out, (Values{-1, 1, -3, 3}));
    out = guided;
    rescaleGuidance(prompted, 0.5f, 2, out);
    EXPECT_EQ(out, (Values{-2.5f, 2.5f, -3, 3}));
    out = guided;
    rescaleGuidance(prompted, 0.0f, 2, out);
    EXPECT_EQ(out, guided);
}

TEST(Guidance, RescalingLeavesFlatPredictionsAlone) {
    Values flat{2, 2, 2}, none;
    rescaleGuidance(flat, 0.7f, 1, flat);
    EXPECT_EQ(flat, (Values{2, 2, 2}));
    rescaleGuidance(none, 0.7f, 0, none);
}

}  // namespace
}  // namespace reelbrush::diffusion
