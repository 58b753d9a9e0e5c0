#include "kernels/tensor/shape.h"

#include <gtest/gtest.h>

namespace reelbrush::kernels {
namespace {

TEST(Shape, CountsElementsRowsAndChannels) {
    const Shape shape{2, 3, 4, 5};
    EXPECT_EQ(shape.elements(), 120);
    EXPECT_EQ(shape.rows(), 24);
    EXPECT_EQ(shape.channels(), 5);
    EXPECT_EQ(shape.toString(), "[2,3,4,5]");
}

TEST(Shape, EqualityComparesRankAndDimensions) {
    EXPECT_EQ((Shape{1, 2}), (Shape{1, 2}));
    EXPECT_FALSE((Shape{1, 2}) == (Shape{1, 2, 1}));
    EXPECT_FALSE((Shape{1, 2}) == (Shape{2, 1}));
}

}  // namespace
}  // namespace reelbrush::kernels
