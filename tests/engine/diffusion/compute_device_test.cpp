#include "engine/diffusion/compute_device.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

using Kind = ComputeDevice::Kind;

TEST(ComputeDevice, IsReadAsWritten) {
    EXPECT_EQ(ComputeDevice::parse("auto").value(), (ComputeDevice{Kind::Auto, 0}));
    EXPECT_EQ(ComputeDevice::parse("cpu").value(), (ComputeDevice{Kind::Cpu, 0}));
    EXPECT_EQ(ComputeDevice::parse("cuda").value(), (ComputeDevice{Kind::Cuda, 0}));
    EXPECT_EQ(ComputeDevice::parse("cuda:3").value(), (ComputeDevice{Kind::Cuda, 3}));
}

TEST(ComputeDevice, OthersAreRefused) {
    for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CPU", "cuda:99999999999"}) {
        const auto device = ComputeDevice::parse(text);
        ASSERT_FALSE(device) << text;
        EXPECT_NE(device.error().message.find("auto, cpu, cuda or cuda:NUMBER"), std::string::npos);
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
