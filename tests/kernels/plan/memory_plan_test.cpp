#include "kernels/plan/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace reelbrush::kernels {
namespace {

std::size_t largestLiveSum(const std::vector<MemoryRequest>& requests, int steps) {
    std::size_t largest = 0;
    for (int step = 0; step < steps; ++step) {
        std::size_t sum = 0;
        for (const auto& request : requests)
            if (request.firstStep <= step && step <= request.lastStep) sum += (request.bytes + 63) / 64 * 64;
        largest = std::max(largest, sum);
    }
    return largest;
}

TEST(MemoryPlan, BlocksThatLiveTogetherNeverOverlap) {
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        std::vector<MemoryRequest> requests(60);
        for (auto& request : requests) {
            request.bytes = random() % 5000;
            request.firstStep = static_cast<int>(random() % 40);
            request.lastStep = request.firstStep + static_cast<int>(random() % 6);
        }
        const MemoryPlan plan = planMemory(requests);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            EXPECT_EQ(plan.offsets[i] % 64, 0u);
            EXPECT_LE(plan.offsets[i] + requests[i].bytes, plan.totalBytes);
            for (std::size_t j = 0; j < i; ++j) {
                const bool together =
                    requests[i].firstStep <= requests[j].lastStep && requests[j].firstStep <= requests[i].lastStep;
                const bool apart = plan.offsets[i] + requests[i].bytes <= plan.offsets[j] ||
                                   plan.offsets[j] + requests[j].bytes <= plan.offsets[i];
                const bool real = requests[i].bytes != 0 && requests[j].bytes != 0;
                ASSERT_TRUE(!together || !real || apart) << i << " " << j;
            }
        }
        EXPECT_GE(plan.totalBytes, largestLiveSum(requests, 46));
        EXPECT_LE(plan.totalBytes, largestLiveSum(requests, 46) * 3 / 2) << "wasteful placement";
    }
}

TEST(MemoryPlan, AChainNeedsTwoBlocks) {
    std::vector<MemoryRequest> chain;
    for (int i = 0; i < 10; ++i) chain.push_back({640, i, i + 1});
    EXPECT_EQ(planMemory(chain).totalBytes, 1280u);
}

TEST(MemoryPlan, NothingNeedsNothing) {
    EXPECT_EQ(planMemory({}).totalBytes, 0u);
    const std::vector<MemoryRequest> empty{{0, 0, 5}};
    EXPECT_EQ(planMemory(empty).totalBytes, 0u);
}

}  // namespace
}  // namespace reelbrush::kernels
