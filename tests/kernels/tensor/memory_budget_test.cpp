#include "kernels/tensor/memory_budget.h"

#include <gtest/gtest.h>

#include <limits>

namespace reelbrush::kernels {
namespace {

TEST(MemoryBudget, RefusesWhatDoesNotFitAndKeepsItsAccount) {
    MemoryBudget budget(100);
    ASSERT_TRUE(budget.take(60, "a"));
    const Status refused = budget.take(41, "b");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, StatusCode::OutOfMemory);
    EXPECT_EQ(budget.heldBytes(), 60u);
    ASSERT_TRUE(budget.take(40, "c"));
    budget.giveBack(100);
    EXPECT_EQ(budget.heldBytes(), 0u);
    EXPECT_EQ(budget.peakBytes(), 100u);
}

TEST(MemoryBudget, HugeRequestsDoNotWrapAround) {
    MemoryBudget budget(100);
    ASSERT_TRUE(budget.take(1, "a"));
    EXPECT_FALSE(budget.take(std::numeric_limits<std::size_t>::max(), "b"));
}

}  // namespace
}  // namespace reelbrush::kernels
