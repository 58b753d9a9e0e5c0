#include "tests/kernels/support/memory_weights.h"

#include <gtest/gtest.h>

namespace reelbrush::kernels {
namespace {

TEST(MemoryWeights, Int8RowsComeBackWithinHalfAStep) {
    const TestTensor tensor{{2, 3}, {1.0f, -0.5f, 0.25f, 100.0f, -127.0f, 3.0f}};
    MemoryWeights weights;
    weights.addInt8("w", tensor);
    const auto view = weights.find("w");
    ASSERT_TRUE(view.has_value());
    EXPECT_TRUE(view->isQuantised());
    std::vector<float> values(6);
    view->toFloat(values.data());
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(values[i], tensor.values[i], i < 3 ? 0.51f / 127.0f : 0.51f) << i;
}

TEST(MemoryWeights, NamesWhatIsMissing) {
    const auto view = MemoryWeights{}.find("unet.conv");
    ASSERT_FALSE(view.has_value());
    EXPECT_NE(view.error().message.find("unet.conv"), std::string::npos);
}

}  // namespace
}  // namespace reelbrush::kernels
