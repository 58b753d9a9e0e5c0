#include "kernels/cpu/short_waits.h"

#include "kernels/cpu/adaptive_waits.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/processor.h"
#include "kernels/reference/reference_backend.h"
#include "tests/kernels/support/compare.h"
#include "tests/kernels/support/run_node.h"

#include <gtest/gtest.h>

namespace reelbrush::kernels {
namespace {

/// Speed is measured elsewhere: here, that teams compute as ever with an idle one beside them, and that it ends.
TEST(ShortWaits, TeamsComputeBesideTheIdleOne) {
    for (const int threads : {1, 2, availableProcessors(), 8})
        for (int repeat = 0; repeat < 3; ++repeat) {
            const ShortWaits waits(threads), more(threads);
            CpuBackend backend(CpuOptions{.threads = threads, .precision = Precision::Float32});
            ReferenceBackend reference;
            const NodeCase node{Geglu{}, {randomTensor({2, 64, 64}, 1)}, {}};
            const auto computed = runNode(backend, node), expected = runNode(reference, node);
            ASSERT_TRUE(computed && expected);
            EXPECT_LT(compare(*computed, *expected).maxRelative, 1e-5);
        }
}

TEST(AdaptiveWaits, LooksAsOftenAsItIsAsked) {
    AdaptiveWaits waits(2);
    for (int i = 0; i < 1000; ++i) waits.look();
}

}  // namespace
}  // namespace reelbrush::kernels
