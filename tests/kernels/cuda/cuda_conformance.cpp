#include "tests/kernels/cuda/cuda_conformance.h"

#include "kernels/plan/exact_values.h"
#include "kernels/reference/reference_backend.h"
#include "kernels/tensor/dtype.h"

#include <bit>
#include <cstdint>
#include <stdexcept>

namespace reelbrush::kernels {

namespace {

float roundedTo(DType type, float value) {
    if (type == DType::F16) return halfToFloat(floatToHalf(value));
    if (type == DType::F32) return value;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
}

}  // namespace

NodeCase roundedTo(DType type, NodeCase node) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (readsExactly(node.op, i)) continue;
        for (float& value : node.inputs[i].values) value = roundedTo(type, value);
    }
    return node;
}

double roundingOf(DType type) {
    if (type == DType::F16) return 2e-3;
    return type == DType::BF16 ? 1.6e-2 : 0.0;
}

std::unique_ptr<CudaBackend> CudaConformance::backendOf(DType type) {
    CudaOptions options;
    options.valueType = type;
    auto backend = CudaBackend::create(options);
    if (!backend) throw std::runtime_error(backend.error().message);
    return *std::move(backend);
}

void CudaConformance::SetUp() {
    const auto backend = CudaBackend::create({});
    if (!backend) GTEST_SKIP() << backend.error().message;
}

void CudaConformance::expectConforms(const NodeCase& node, const MemoryWeights& weights, double tolerance) {
    ReferenceBackend reference;
    for (const DType type : {DType::F32, DType::BF16, DType::F16}) {
        const NodeCase rounded = roundedTo(type, node);
        const auto expected = runNode(reference, rounded, weights);
        ASSERT_TRUE(expected) << expected.error().message;
        const auto backend = backendOf(type);
        const auto actual = runNode(*backend, rounded, weights);
        ASSERT_TRUE(actual) << nameOf(type) << ": " << actual.error().message;
        const Difference difference = compare(*actual, *expected);
        report(std::string(nameOf(node.op)) + " " + nameOf(type), difference);
        EXPECT_TRUE(difference.comparable) << nameOf(type) << ": " << difference.toString();
        EXPECT_LE(difference.maxRelative, tolerance + roundingOf(type))
            << nameOf(type) << ": " << difference.toString();
    }
}

}  // namespace reelbrush::kernels
