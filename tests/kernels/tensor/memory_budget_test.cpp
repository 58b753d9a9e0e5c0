#include "kernels/tensor/memory_budget.h"

#include <gtest/gtest.h>

#include <limits>

namespace reelbrush::kernels {
namespace {

TEST(MemoryBudget, RefusesWhatDoesNotFitAndKeepsItsAccount) {
    const auto budget = std::make_shared<MemoryBudget>(100);
    auto first = MemoryClaim::make(budget, 60, "a");
    ASSERT_TRUE(first);
    const auto refused = MemoryClaim::make(budget, 41, "b");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, StatusCode::OutOfMemory);
    EXPECT_EQ(budget->heldBytes(), 60u);
    ASSERT_TRUE(MemoryClaim::make(budget, 40, "c")) << "and given back at once";
    first->release();
    EXPECT_EQ(budget->heldBytes(), 0u);
    EXPECT_EQ(budget->peakBytes(), 100u);
}

TEST(MemoryBudget, HugeRequestsDoNotWrapAround) {
    const auto budget = std::make_shared<MemoryBudget>(100);
    const auto one = MemoryClaim::make(budget, 1, "a");
    EXPECT_FALSE(MemoryClaim::make(budget, std::numeric_limits<std::size_t>::max(), "b"));
}

TEST(MemoryBudget, NamesWhoHoldsWhat) {
    const auto budget = std::make_shared<MemoryBudget>();
    auto space = MemoryClaim::make(budget, 5, "the work space");
    std::vector<Result<MemoryClaim>> unet, vae;
    {
        const HeldBy unetPart(budget, "UNet");
        unet.push_back(MemoryClaim::make(budget, 100, "packed weights"));
        {
            const HeldBy vaePart(budget, "VAE");
            vae.push_back(MemoryClaim::make(budget, 30, "packed weights"));
        }
        unet.push_back(MemoryClaim::make(budget, 10, "packed weights"));
    }
    vae.clear();
    space = MemoryClaim::make(budget, 7, "the work space");  // the old goes once the new is there
    const auto holdings = budget->holdings();
    ASSERT_EQ(holdings.size(), 3u);
    EXPECT_EQ(holdings[0].holder, "the work space");
    EXPECT_EQ(holdings[0].bytes, 7u);
    EXPECT_EQ(holdings[0].peakBytes, 12u);
    EXPECT_EQ(holdings[1].holder, "UNet");
    EXPECT_EQ(holdings[1].bytes, 110u);
    EXPECT_EQ(holdings[2].holder, "VAE");
    EXPECT_EQ(holdings[2].bytes, 0u);
    EXPECT_EQ(holdings[2].peakBytes, 30u);
    EXPECT_EQ(budget->heldBytes(), 117u);
}

TEST(MemoryBudget, ClaimsMoveWithTheirBytes) {
    const auto budget = std::make_shared<MemoryBudget>();
    MemoryClaim kept;
    {
        MemoryClaim claim = *MemoryClaim::make(budget, 8, "a");
        kept = std::move(claim);
    }
    EXPECT_EQ(budget->heldBytes(), 8u);
    kept = {};
    EXPECT_EQ(budget->heldBytes(), 0u);
    EXPECT_TRUE(MemoryClaim::make(nullptr, 8, "nobody counts"));
}

}  // namespace
}  // namespace reelbrush::kernels
