#include "kernels/tensor/buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace reelbrush::kernels {
namespace {

TEST(Buffer, IsAlignedZeroedCountedAndGivenBack) {
    auto budget = std::make_shared<MemoryBudget>(1 << 20);
    {
        auto buffer = Buffer::allocate(10000, budget, "test");
        ASSERT_TRUE(buffer);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 4096, 0u);
        EXPECT_EQ(buffer->as<char>()[9999], 0);
        EXPECT_EQ(budget->heldBytes(), 10000u);
        Buffer moved = std::move(*buffer);
        EXPECT_EQ(moved.sizeBytes(), 10000u);
        EXPECT_EQ(budget->heldBytes(), 10000u);
    }
    EXPECT_EQ(budget->heldBytes(), 0u);
}

TEST(Buffer, ResidentBytesFollowWhatWasTouched) {
    auto buffer = Buffer::allocate(1 << 20, nullptr, "test");
    ASSERT_TRUE(buffer);
    EXPECT_EQ(buffer->residentBytes(), 0u);
    std::memset(buffer->data(), 1, buffer->sizeBytes());
    EXPECT_EQ(buffer->residentBytes(), std::size_t{1} << 20);
}

TEST(Buffer, OverBudgetIsOutOfMemory) {
    auto buffer = Buffer::allocate(101, std::make_shared<MemoryBudget>(100), "test");
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().code, StatusCode::OutOfMemory);
}

}  // namespace
}  // namespace reelbrush::kernels
