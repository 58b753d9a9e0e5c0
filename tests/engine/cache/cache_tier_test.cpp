#include "engine/cache/cache_tier.h"

#include "engine/cache/device_tier.h"
#include "engine/cache/ram_tier.h"
#include "engine/core/xdg_folders.h"
#include "kernels/cuda_module/cuda_module.h"
#include "tests/engine/cache/host_device.h"
#include "tests/engine/cache/test_frames.h"

#include <gtest/gtest.h>

namespace reelbrush::cache::testing {
namespace {

/// What goes in comes out, for odd sizes and more than one piece of the staging block, and nothing is left.
void expectKeeps(CacheTier& tier, std::size_t mostBytes) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{257}, std::size_t{5'000'001}}) {
        if (size > mostBytes) continue;
        const auto bytes =
            makeNoise({SampleType::Bits8, static_cast<std::int32_t>(size % 65'537 ? size % 65'537 : 1), 1, 1}, 7);
        std::vector<std::byte> in;
        while (in.size() < size) in.insert(in.end(), bytes.bytes.begin(), bytes.bytes.end());
        in.resize(size);
        auto block = tier.allocate(size);
        ASSERT_TRUE(block) << block.error().message;
        EXPECT_EQ(tier.budget().heldBytes(), tier.roundedBytes(size));
        ASSERT_TRUE(tier.write(**block, in));
        std::vector<std::byte> out(size);
        ASSERT_TRUE(tier.read(**block, out));
        EXPECT_EQ(in, out);
    }
    EXPECT_EQ(tier.budget().heldBytes(), 0u);
}

void expectHoldsItsLimit(CacheTier& tier, std::size_t limit) {
    auto whole = tier.allocate(limit);
    ASSERT_TRUE(whole) << whole.error().message;
    const auto more = tier.allocate(1);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code, StatusCode::OutOfMemory);
    whole->reset();
    EXPECT_TRUE(tier.allocate(1));
    EXPECT_FALSE(tier.allocate(limit + 1));
    EXPECT_EQ(tier.budget().peakBytes(), limit);
}

TEST(RamTier, KeepsBytesBelowItsLimit) {
    RamTier tier(6'000'000);
    expectKeeps(tier, 6'000'000);
    RamTier small(1024);
    expectHoldsItsLimit(small, 1024);
}

TEST(DeviceTier, KeepsBytesBelowItsLimit) {
    const auto device = std::make_shared<HostDevice>();
    auto tier = DeviceTier::make(device, 6'000'128);
    ASSERT_TRUE(tier);
    expectKeeps(**tier, 6'000'000);
    auto small = DeviceTier::make(device, 1024);
    ASSERT_TRUE(small);
    expectHoldsItsLimit(**small, 1024);
    EXPECT_EQ(device->allocatedBytes(), 0u);
    EXPECT_EQ((*(*small)->allocate(4))->hostBytes(), nullptr);
}

TEST(DeviceTier, SaysWhenTheDeviceIsFull) {
    const auto device = std::make_shared<HostDevice>();
    device->mostBytes = 512;
    auto tier = DeviceTier::make(device, 1 << 20);
    ASSERT_TRUE(tier);
    EXPECT_TRUE((*tier)->allocate(512));
    EXPECT_FALSE((*tier)->allocate(513));
    EXPECT_EQ((*tier)->budget().heldBytes(), 0u);
}

TEST(DeviceTier, NeedsADevice) {
    EXPECT_FALSE(DeviceTier::make(nullptr, 1024));
}

TEST(PinnedTier, KeepsBytesBelowItsLimit) {
    PinnedTier tier(std::make_shared<HostDevice>(), 6'000'000);
    expectKeeps(tier, 6'000'000);
    PinnedTier small(std::make_shared<HostDevice>(), 1000);
    expectHoldsItsLimit(small, 1000);
}

TEST(CudaTiers, KeepEveryBitOnARealDevice) {
    auto backend = kernels::openCudaBackend(cudaModuleFile(), {});
    if (!backend) GTEST_SKIP() << backend.error().message;
    const std::shared_ptr<kernels::Backend> shared = std::move(*backend);
    auto gpu = DeviceTier::make(shared, 6'000'128);
    ASSERT_TRUE(gpu) << gpu.error().message;
    expectKeeps(**gpu, 6'000'000);
    PinnedTier pinned(shared, 6'000'000);
    expectKeeps(pinned, 6'000'000);
}

}  // namespace
}  // namespace reelbrush::cache::testing
