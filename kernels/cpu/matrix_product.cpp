#include "kernels/cpu/matrix_product.h"

#include "kernels/cpu/onednn.h"

namespace reelbrush::kernels {

namespace {

/// Below this many multiply-adds waking the other threads takes longer than the product.
constexpr std::int64_t kSmallProduct = 1 << 20;

void addSmallProduct(const MatrixProduct& product) {
    for (std::int64_t y = 0; y < product.rows; ++y) {
        float* to = product.c + y * product.columns;
        for (std::int64_t k = 0; k < product.inner; ++k) {
            const float share = product.scale * product.a[y * product.inner + k];
            const float* from = product.b + k * product.columns;
            for (std::int64_t x = 0; x < product.columns; ++x) to[x] += share * from[x];
        }
    }
}

}  // namespace

Status addMatrixProduct(const MatrixProduct& product) {
    if (product.rows * product.columns < kSmallProduct / product.inner) {
        addSmallProduct(product);
        return {};
    }
    return guarded("a matrix product", [&]() -> Status {
        const dnnl::status status =
            dnnl::sgemm('N', 'N', product.rows, product.columns, product.inner, product.scale, product.a, product.inner,
                        product.b, product.columns, 1.0f, product.c, product.columns);
        if (status == dnnl::status::out_of_memory)
            return fail(StatusCode::OutOfMemory, "a matrix product: the system has no memory left");
        RB_ENSURE(status == dnnl::status::success, "oneDNN refused a matrix product");
        return {};
    });
}

}  // namespace reelbrush::kernels
