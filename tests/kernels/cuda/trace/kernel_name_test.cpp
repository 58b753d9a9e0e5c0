#include "kernels/cuda/trace/kernel_name.h"

#include <gtest/gtest.h>

namespace reelbrush::kernels {
namespace {

TEST(KernelName, IsReadable) {
    EXPECT_EQ(kernelName("_ZN9reelbrush7kernels12_GLOBAL__N_14copyIfLi4EEEvPKT_PS3_l"), "copy<float, 4>");
    EXPECT_EQ(kernelName("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT"), "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT");
    EXPECT_EQ(kernelName("a"), "a");
    EXPECT_EQ(kernelName(""), "");
}

TEST(KernelName, ParenthesesOfTemplateArgumentsStay) {
    // void f<(Kind)1>(int)
    EXPECT_EQ(kernelName("_Z1fIL4Kind1EEvi"), "f<(Kind)1>");
}

TEST(KernelName, IsNotLongerThanALine) {
    const std::string name = kernelName(std::string(5000, 'x'));
    EXPECT_LE(name.size(), 100u);
    EXPECT_TRUE(name.ends_with("..."));
}

}  // namespace
}  // namespace reelbrush::kernels
