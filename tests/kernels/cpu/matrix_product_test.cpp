#include "kernels/cpu/matrix_product.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <vector>

namespace reelbrush::kernels {
namespace {

/// Small ones take plain loops, the others oneDNN.
TEST(MatrixProduct, EqualsPlainLoopsInDoublePrecision) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (const auto& [rows, columns, inner] :
         {std::array<std::size_t, 3>{1, 1, 1}, {3, 5, 2}, {1, 300, 64}, {130, 257, 33}, {320, 320, 64}}) {
        std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns);
        for (auto* values : {&a, &b, &c})
            for (float& value : *values) value = normal(random);
        const std::vector<float> before = c;
        MatrixProduct product;
        product.a = a.data();
        product.b = b.data();
        product.c = c.data();
        product.rows = static_cast<std::int64_t>(rows);
        product.columns = static_cast<std::int64_t>(columns);
        product.inner = static_cast<std::int64_t>(inner);
        product.scale = 0.25f;
        const auto status = addMatrixProduct(product);
        ASSERT_TRUE(status) << status.error().message;
        for (std::size_t y = 0; y < rows; ++y)
            for (std::size_t x = 0; x < columns; ++x) {
                double sum = 0;
                for (std::size_t k = 0; k < inner; ++k)
                    sum += static_cast<double>(a[y * inner + k]) * b[k * columns + x];
                ASSERT_NEAR(c[y * columns + x], before[y * columns + x] + 0.25 * sum, 2e-5);
            }
    }
}

}  // namespace
}  // namespace reelbrush::kernels
